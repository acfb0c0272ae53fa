package io.twinbell.node.alert.store;

/**
 * An event that an alert reports.
 *
 * @param atMillis when it happened, by the database's clock
 * @param about the details as JSON text
 */
public record AlertEvent(String event, long atMillis, String about) {}
