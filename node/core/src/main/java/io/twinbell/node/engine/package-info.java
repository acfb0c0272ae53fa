/**
 * The engine: fires tasks while its node is master. {@code EngineAssembly} assembles the parts in the packages below, and
 * {@link io.twinbell.node.engine.Engine} says in one table which event wakes which thread.
 *
 * <p>A slot moves down these packages and never back up: {@code settle} resolves what earlier masters left, {@code
 * claim} makes due slots this node's, {@code definition} reads what to run and {@code worker} runs it, {@code trigger}
 * decides when, {@code run} keeps the runs under way. All of them use {@code step}, {@code decision}, {@code handler} and
 * {@code task}. A test checks the directions.
 */
package io.twinbell.node.engine;
