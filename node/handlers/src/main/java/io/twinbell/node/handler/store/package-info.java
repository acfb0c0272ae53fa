/** Transactions that commit the work of a handler together with the outcome of its execution. */
package io.twinbell.node.handler.store;
