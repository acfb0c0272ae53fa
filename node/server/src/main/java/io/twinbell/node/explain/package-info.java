/**
 * Explains in a sentence why a task ran, did not run, or will run at an instant. {@link
 * io.twinbell.node.explain.SlotExplainer} decides from values that were read before; nothing here does I/O.
 */
package io.twinbell.node.explain;
