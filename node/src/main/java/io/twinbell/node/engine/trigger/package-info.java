/**
 * When tasks are due: the task heap, which the trigger thread alone owns, the queue of actions that change it, and the inbox of
 * due tasks that it fills for the claimer.
 *
 * <p>In come actions from any thread; out go due tasks to the claimer, and claimed runs, at their fire time, to the workers.
 */
package io.twinbell.node.engine.trigger;
