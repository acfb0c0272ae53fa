package io.twinbell.persistence.task;

import java.util.OptionalLong;

/**
 * The definition of a task, taken apart: what it shares with other tasks, and what is its own.
 *
 * @param shared JSON without the members below
 * @param data JSON; null if there is none
 * @param startMillis the member {@code start}
 * @param atMillis the instant of a schedule of the kind {@code at}
 */
public record DefinitionParts(String shared, String data, OptionalLong startMillis, OptionalLong atMillis) {
    /** All of it may be shared. */
    public static DefinitionParts whole(String definition) {
        return new DefinitionParts(definition, null, OptionalLong.empty(), OptionalLong.empty());
    }

    /** Number of characters. */
    public int length() {
        return shared.length() + (data == null ? 0 : data.length());
    }
}
