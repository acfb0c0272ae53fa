/**
 * Pure decisions: what happens to a due slot, and which slots of a misfire do not run.
 *
 * <p>They take values and return values, and use no clock, database or other thread.
 */
package io.twinbell.node.engine.decision;
