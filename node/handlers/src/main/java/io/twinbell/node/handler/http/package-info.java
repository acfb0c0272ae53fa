/** The {@code http} handler: calls a receiver and judges its response. A call that waits holds no thread. */
package io.twinbell.node.handler.http;
