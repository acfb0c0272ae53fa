package io.twinbell.persistence.task;

/** What people know a task by: its name is unique within its app. */
public record TaskName(String app, String name) {}
