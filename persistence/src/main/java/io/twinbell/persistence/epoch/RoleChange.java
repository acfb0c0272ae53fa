package io.twinbell.persistence.epoch;

import java.util.UUID;

/**
 * An entry of the role history.
 *
 * @param tookMillis how long the change took
 * @param steps the steps of the change, as a JSON array of {@code {"step":…,"micros":…}}
 */
public record RoleChange(
        long atMillis,
        String node,
        UUID incarnation,
        long epoch,
        String from,
        String to,
        String reason,
        long tookMillis,
        String steps) {}
