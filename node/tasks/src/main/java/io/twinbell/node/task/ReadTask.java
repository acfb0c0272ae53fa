package io.twinbell.node.task;

import io.twinbell.node.engine.task.TaskDefinition;
import io.twinbell.persistence.task.TaskContent;

/**
 * A task from a request, parsed and validated.
 *
 * @param enabled null if the request does not contain it
 */
record ReadTask(TaskContent content, TaskDefinition definition, Boolean enabled) {}
