/**
 * Pure decisions: what becomes of a due slot, which slots a misfire passes over, and why an execution counts as stuck.
 *
 * <p>Values come in, values go out. Nothing here asks a clock, a database or another thread.
 */
package io.twinbell.node.engine.decision;
