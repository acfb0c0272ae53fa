package io.twinbell.persistence.task;

/** A task to be stored. */
public record NewTask(TaskContent content, TaskProgress progress) {}
