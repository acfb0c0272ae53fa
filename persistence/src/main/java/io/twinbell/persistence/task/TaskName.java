package io.twinbell.persistence.task;

import java.util.Comparator;

/** What people know a task by: its name is unique within its app. */
public record TaskName(String app, String name) implements Comparable<TaskName> {
    private static final Comparator<TaskName> ORDER =
            Comparator.comparing(TaskName::app).thenComparing(TaskName::name);

    @Override
    public int compareTo(TaskName other) {
        return ORDER.compare(this, other);
    }
}
