/**
 * The engine: fires tasks while its node is master. {@code EngineAssembly} assembles the parts in the packages below,
 * and {@link io.twinbell.node.engine.Engine} says in one table which event wakes which thread.
 *
 * <p>A package knows only packages that come later here: {@code settle} resolves what earlier masters left, {@code
 * claim} makes due slots this node's, {@code worker} runs them, {@code definition} reads what to run, {@code trigger}
 * decides when, {@code run} keeps the runs under way. All of them use {@code step}, {@code decision}, {@code handler}
 * and {@code task}. A slot itself goes from the trigger to the claimer, back to the trigger, and to a worker.
 */
package io.twinbell.node.engine;
