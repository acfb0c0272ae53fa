/**
 * What this process holds: claimed runs from their claim until their outcome is durable, and the counts that bound
 * them.
 *
 * <p>In comes a claimed attempt; out goes the order in which runs may start, and how much room is left for claims. Any
 * thread may ask.
 */
package io.twinbell.node.engine.run;
