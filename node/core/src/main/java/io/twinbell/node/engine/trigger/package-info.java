/**
 * Decides when tasks are due. Contains the task heap, which the trigger thread alone owns, the queue of actions that
 * change it, and the inbox of due tasks for the claimer.
 *
 * <p>Input: actions from any thread. Output: due tasks to the claimer, and claimed runs, at their fire time, to the
 * workers.
 */
package io.twinbell.node.engine.trigger;
