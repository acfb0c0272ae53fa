package io.twinbell.persistence.task;

/** A task that this transaction has stored. */
record AddedTask(long id, NewTask task) {}
