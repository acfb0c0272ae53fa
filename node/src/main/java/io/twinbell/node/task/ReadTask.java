package io.twinbell.node.task;

import io.twinbell.persistence.task.TaskContent;

/**
 * A task as people wrote it, found valid.
 *
 * @param enabled null if they did not say
 */
record ReadTask(TaskContent content, TaskDefinition definition, Boolean enabled) {}
