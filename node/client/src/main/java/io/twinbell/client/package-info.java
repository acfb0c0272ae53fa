/**
 * For applications that schedule tasks without running a node: {@link io.twinbell.client.HttpTaskClient} calls the nodes
 * of a pair, and {@link io.twinbell.client.JdbcTaskClient} writes in the application's own transaction.
 * {@link io.twinbell.client.HandlerKey} is what an application that schedules and one that handles share.
 */
package io.twinbell.client;
