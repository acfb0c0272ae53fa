/** Warm-up of a node before it becomes master: a second engine fires into in-memory tables. */
package io.twinbell.node.warmup;
