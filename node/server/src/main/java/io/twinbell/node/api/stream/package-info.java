/** The stream of ledger changes as server-sent events. */
package io.twinbell.node.api.stream;
