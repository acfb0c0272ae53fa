/**
 * The tables of a database, in memory: tasks, ledger, limits and calendars. They do what the statements on PostgreSQL
 * do, one at a time. The test kit's node in virtual time, the warm-up run and the simulation of a pair share them.
 * Tests compare them with PostgreSQL: the ledgers of schedules and policies, and random statements of several epochs.
 *
 * <p>A single master needs no election, so {@link MemoryEpochs} only confirms its epoch. How a pair opens, resigns and
 * drains epochs, behind locks and timeouts, is what the simulation is about: it has its own register for that.
 */
package io.twinbell.node.memory;
