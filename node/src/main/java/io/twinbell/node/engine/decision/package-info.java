/**
 * Pure decisions: what happens to a due slot, which slots a misfire passes over, and why an execution counts as stuck.
 *
 * <p>They take values and return values. They ask no clock, no database and no other thread.
 */
package io.twinbell.node.engine.decision;
