/** The {@code shell} handler: runs a command as its own process, and ends all of its processes at the timeout. */
package io.twinbell.node.handler.shell;
