package io.twinbell.persistence.alert;

/**
 * Something that has happened and that an alert wants to tell.
 *
 * @param atMillis when, by the database's clock
 * @param about JSON text of what there is to know
 */
public record AlertEvent(String event, long atMillis, String about) {}
