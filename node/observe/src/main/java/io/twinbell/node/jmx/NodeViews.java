package io.twinbell.node.jmx;

import java.util.Objects;

/** The views of one node that its MBeans show. */
public record NodeViews(
        LeadershipView leadership, TaskHeapView taskHeap, ActionQueueView actionQueue, WorkerPoolView workerPool) {
    public NodeViews {
        Objects.requireNonNull(leadership, "leadership");
        Objects.requireNonNull(taskHeap, "taskHeap");
        Objects.requireNonNull(actionQueue, "actionQueue");
        Objects.requireNonNull(workerPool, "workerPool");
    }
}
