/** Runs the interceptors of the embedding program and of plugins around each attempt. */
package io.twinbell.node.handler.intercept;
