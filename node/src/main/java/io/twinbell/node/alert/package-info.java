/** Webhooks on what goes wrong: what an alert says, what is gathered for it, and how it is told. */
package io.twinbell.node.alert;
