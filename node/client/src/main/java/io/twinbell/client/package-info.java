/**
 * For applications that schedule tasks without running a node: {@link io.twinbell.client.HttpTaskClient} calls the
 * nodes of a pair, and {@link io.twinbell.client.JdbcTaskClient} writes in the application's own transaction. {@link
 * io.twinbell.client.HandlerKey} is shared by the application that schedules and the one that handles.
 */
package io.twinbell.client;
