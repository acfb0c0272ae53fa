/**
 * The tables of a node in virtual time, in memory: tasks, ledger, limits and calendars. They do what the statements on
 * PostgreSQL do, one at a time. A test compares the two, schedule by schedule and policy by policy.
 */
package io.twinbell.node.virtual.tables;
