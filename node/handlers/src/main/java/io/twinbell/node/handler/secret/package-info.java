/** Secrets of the configuration: where they may be used, and how they are masked in texts. */
package io.twinbell.node.handler.secret;
