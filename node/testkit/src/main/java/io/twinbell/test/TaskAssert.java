package io.twinbell.test;

import io.twinbell.TaskEntry;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Assertions about a task and its ledger as they are now. Each throws an {@link AssertionError} that shows the ledger, and
 * returns this object otherwise.
 */
public final class TaskAssert {
    private static final int SHOWN = 40;
    private static final Set<String> NEVER_RAN = Set.of("SKIPPED", "MISSED", "PENDING");

    private final String app;
    private final String name;
    private final Optional<TaskEntry> task;
    private final List<TestExecution> executions;

    TaskAssert(String app, String name, Optional<TaskEntry> task, List<TestExecution> executions) {
        this.app = app;
        this.name = name;
        this.task = task;
        this.executions = executions;
    }

    /** The task has run at exactly these fire times, in this order; skipped and missed slots do not count. */
    public TaskAssert fired(Instant... fireTimes) {
        List<Instant> ran = ran().stream().map(TestExecution::fireTime).toList();
        return check(ran.equals(Arrays.asList(fireTimes)), "to have fired at " + Arrays.toString(fireTimes));
    }

    /** As {@link #fired(Instant...)}, with instants such as {@code 2026-03-29T01:00:00Z}. */
    public TaskAssert fired(String... fireTimes) {
        return fired(Arrays.stream(fireTimes).map(Instant::parse).toArray(Instant[]::new));
    }

    /** The task has run this many times; skipped and missed slots do not count. */
    public TaskAssert firedTimes(int times) {
        return check(ran().size() == times, "to have fired " + times + " times, not " + ran().size());
    }

    public TaskAssert hasNotFired() {
        return firedTimes(0);
    }

    private List<TestExecution> ran() {
        return executions.stream()
                .filter(execution -> execution.hasStarted() || !NEVER_RAN.contains(execution.state()))
                .toList();
    }

    /** All executions have succeeded, and there is at least one. */
    public TaskAssert succeeded() {
        return check(
                !executions.isEmpty()
                        && executions.stream().allMatch(one -> one.state().equals("SUCCEEDED")),
                "to have succeeded each time");
    }

    /** The states of all executions, in the order of their fire times. */
    public TaskAssert hasStates(String... states) {
        List<String> found = executions.stream().map(TestExecution::state).toList();
        return check(found.equals(Arrays.asList(states)), "to have executions " + Arrays.toString(states));
    }

    /** The task is ACTIVE, PAUSED, FINISHED or ERROR. */
    public TaskAssert isInState(String state) {
        String found = task.map(TaskEntry::state).orElse("removed");
        return check(found.equals(state), "to be " + state + ", not " + found);
    }

    public TaskAssert exists() {
        return check(task.isPresent(), "to exist");
    }

    public TaskAssert doesNotExist() {
        return check(task.isEmpty(), "not to exist");
    }

    public TaskAssert firesNextAt(Instant instant) {
        Instant next = task.map(TaskEntry::nextFireTime).orElse(null);
        return check(instant.equals(next), "to fire next at " + instant + ", not " + next);
    }

    public TaskAssert firesNextAt(String instant) {
        return firesNextAt(Instant.parse(instant));
    }

    public TaskAssert doesNotFireAgain() {
        Instant next = task.map(TaskEntry::nextFireTime).orElse(null);
        return check(next == null, "not to fire again, but it fires at " + next);
    }

    /** Begins assertions about the execution of this fire time. */
    public ExecutionAssert at(Instant fireTime) {
        TestExecution found = executions.stream()
                .filter(one -> !fireTime.isBefore(one.fireTime()) && !fireTime.isAfter(one.untilFireTime()))
                .findFirst()
                .orElseThrow(() -> failure("to have an execution at " + fireTime));
        return new ExecutionAssert(found);
    }

    public ExecutionAssert at(String fireTime) {
        return at(Instant.parse(fireTime));
    }

    /** Begins assertions about the latest execution. */
    public ExecutionAssert latest() {
        check(!executions.isEmpty(), "to have an execution");
        return new ExecutionAssert(executions.get(executions.size() - 1));
    }

    private TaskAssert check(boolean holds, String expected) {
        if (!holds) {
            throw failure(expected);
        }
        return this;
    }

    private AssertionError failure(String expected) {
        String rows = executions.isEmpty()
                ? "  (empty)"
                : executions.stream()
                        .skip(Math.max(0, executions.size() - SHOWN))
                        .map(one -> "  " + one)
                        .collect(Collectors.joining("\n"));
        String left = executions.size() > SHOWN ? "\n  (the latest " + SHOWN + " of " + executions.size() + ")" : "";
        return new AssertionError("expected task " + app + "/" + name + " " + expected + "; it is "
                + task.map(TaskEntry::state).orElse("not stored") + ", and its ledger is:\n" + rows + left);
    }

    /** Assertions about one execution. */
    public final class ExecutionAssert {
        private final TestExecution execution;

        private ExecutionAssert(TestExecution execution) {
            this.execution = execution;
        }

        public TestExecution execution() {
            return execution;
        }

        public ExecutionAssert succeeded() {
            return isInState("SUCCEEDED");
        }

        public ExecutionAssert failed() {
            return isInState("FAILED");
        }

        public ExecutionAssert isInState(String state) {
            return expect(one -> one.state().equals(state), "to be " + state);
        }

        /** The number of the latest attempt. */
        public ExecutionAssert hasAttempts(int attempts) {
            return expect(one -> one.attempt() == attempts, "to have " + attempts + " attempts");
        }

        public ExecutionAssert hasReasonContaining(String part) {
            return expect(
                    one -> one.reason() != null && one.reason().contains(part),
                    "to have a reason with \"" + part + '"');
        }

        public ExecutionAssert hasErrorContaining(String part) {
            return expect(
                    one -> one.error() != null && one.error().contains(part), "to have an error with \"" + part + '"');
        }

        public ExecutionAssert hasErrorCode(String code) {
            return expect(one -> code.equals(one.errorCode()), "to have the error code " + code);
        }

        public ExecutionAssert hasOutput(String output) {
            return expect(one -> output.equals(one.output()), "to have the output \"" + output + '"');
        }

        public ExecutionAssert startedAt(Instant instant) {
            return expect(one -> instant.equals(one.startedAt()), "to have started at " + instant);
        }

        /** Continues with assertions about the task. */
        public TaskAssert and() {
            return TaskAssert.this;
        }

        private ExecutionAssert expect(Predicate<TestExecution> holds, String expected) {
            if (!holds.test(execution)) {
                throw failure("at " + execution.fireTime() + " " + expected
                        + (execution.error() == null
                                ? ""
                                : " (its error: "
                                        + execution.error().lines().findFirst().orElse("") + ")"));
            }
            return this;
        }
    }
}
