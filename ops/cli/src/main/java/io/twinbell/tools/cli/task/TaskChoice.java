package io.twinbell.tools.cli.task;

import io.twinbell.tools.cli.option.TaskFilterOptions;
import io.twinbell.tools.cli.option.TaskReference;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Options that select tasks, either by name or by a filter. */
final class TaskChoice {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Parameters(
            arity = "0..*",
            paramLabel = "TASK",
            converter = TaskReference.Reader.class,
            description = "The task's id, or APP/NAME.")
    private List<TaskReference> tasks = List.of();

    @Mixin
    private TaskFilterOptions filter;

    /** @throws ParameterException unless exactly one of the two was typed */
    boolean isByFilter() {
        if (tasks.isEmpty() != filter.isGiven()) {
            throw new ParameterException(
                    spec.commandLine(),
                    tasks.isEmpty()
                            ? "Give tasks (ids or APP/NAME), or a filter: --app, --tag, --owner, --state, --handler,"
                                    + " --match"
                            : "Give either tasks or a filter, not both");
        }
        return filter.isGiven();
    }

    List<TaskReference> tasks() {
        return tasks;
    }

    TaskFilterOptions filter() {
        return filter;
    }
}
