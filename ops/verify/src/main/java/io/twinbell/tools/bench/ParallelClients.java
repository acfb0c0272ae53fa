package io.twinbell.tools.bench;

import io.twinbell.tools.client.NodeException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/** Runs work items on several parallel clients. Each takes the next item when it has finished one. */
final class ParallelClients {
    private ParallelClients() {}

    @FunctionalInterface
    interface Work {
        void carryOut(int number) throws NodeException, BenchException;
    }

    /** Returns when all items are done; throws the first failure. */
    static void each(int lanes, int count, Work work) throws NodeException, BenchException {
        AtomicInteger next = new AtomicInteger();
        Callable<Void> lane = () -> {
            for (int i = next.getAndIncrement(); i < count; i = next.getAndIncrement()) {
                work.carryOut(i);
            }
            return null;
        };
        ExecutorService threads = Executors.newFixedThreadPool(lanes);
        try {
            List<Future<Void>> running = new ArrayList<>();
            for (int i = 0; i < lanes; i++) {
                running.add(threads.submit(lane));
            }
            for (Future<Void> one : running) {
                one.get();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchException("aborted");
        } catch (ExecutionException e) {
            throw rethrown(e.getCause());
        } finally {
            threads.shutdownNow();
        }
    }

    private static BenchException rethrown(Throwable cause) throws NodeException, BenchException {
        if (cause instanceof NodeException refused) {
            throw refused;
        }
        if (cause instanceof BenchException broken) {
            throw broken;
        }
        return new BenchException(cause.toString());
    }
}
