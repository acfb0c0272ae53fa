package io.twinbell.persistence.task;

import java.util.OptionalLong;

/**
 * The definition of a new task, taken apart: what it shares with other tasks, and what is its own.
 *
 * @param shared JSON without the members below
 * @param data JSON; null if there is none
 * @param startMillis the member {@code start}
 * @param atMillis the instant of a schedule of the kind {@code at}
 */
public record DefinitionParts(String shared, String data, OptionalLong startMillis, OptionalLong atMillis) {}
