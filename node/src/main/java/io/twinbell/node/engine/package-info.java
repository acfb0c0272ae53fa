/**
 * The engine: it fires tasks while its node is master. {@link io.twinbell.node.engine.Engine} puts the rooms below it
 * together and connects them.
 *
 * <p>The way of a slot goes down these rooms and never back up: {@code settle} finds what earlier masters left, {@code claim}
 * makes due slots this node's, {@code definition} and {@code worker} know what to run and run it, {@code trigger} says when,
 * {@code run} holds what is under way, {@code step} and {@code decision} are the floor that all stand on. A test holds the
 * directions.
 */
package io.twinbell.node.engine;
