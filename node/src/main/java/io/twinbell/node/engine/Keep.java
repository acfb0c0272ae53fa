package io.twinbell.node.engine;

import java.time.Duration;

/**
 * How long the database keeps what is over.
 *
 * @param executions a day of the ledger
 * @param finishedTasks a task from the instant it was FINISHED
 */
public record Keep(Duration executions, Duration finishedTasks) {}
