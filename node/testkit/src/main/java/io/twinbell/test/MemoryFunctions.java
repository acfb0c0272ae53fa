package io.twinbell.test;

import io.twinbell.client.ExecutionSelection;
import io.twinbell.client.ExecutionView;
import io.twinbell.client.JdbcTaskClient;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/** Calls in virtual time that are a transaction each, unless they belong to that of a handler. */
record MemoryFunctions(Supplier<TaskTransaction> begin) implements JdbcTaskClient.TaskFunctions {
    private <T> T committed(Function<TaskTransaction, T> call) {
        TaskTransaction transaction = begin.get();
        T result = call.apply(transaction);
        transaction.commit();
        return result;
    }

    @Override
    public JdbcTaskClient.AddedTasks add(List<String> tasks) {
        return committed(transaction -> transaction.add(tasks));
    }

    @Override
    public boolean cancel(String app, String name) {
        return committed(transaction -> transaction.cancel(app, name));
    }

    @Override
    public List<ExecutionView> list(String app, ExecutionSelection which, int most, String after) {
        return committed(transaction -> transaction.list(app, which, most, after));
    }

    @Override
    public ExecutionView rerun(String executionId, String reason) {
        return committed(transaction -> transaction.rerun(executionId, reason));
    }

    @Override
    public int rerunAll(String app, ExecutionSelection which, String reason) {
        return committed(transaction -> transaction.rerunAll(app, which, reason));
    }
}
