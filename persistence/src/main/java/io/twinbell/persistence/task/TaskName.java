package io.twinbell.persistence.task;

/** The name of a task, which is unique within its app. */
public record TaskName(String app, String name) implements Comparable<TaskName> {
    @Override
    public int compareTo(TaskName other) {
        int byApp = app.compareTo(other.app);
        return byApp == 0 ? name.compareTo(other.name) : byApp;
    }

    /**
     * Handwritten because lists of thousands are sorted and looked up by it: a record's default goes through method
     * handles.
     */
    @Override
    public boolean equals(Object other) {
        return other instanceof TaskName task && name.equals(task.name) && app.equals(task.app);
    }

    @Override
    public int hashCode() {
        return 31 * app.hashCode() + name.hashCode();
    }
}
