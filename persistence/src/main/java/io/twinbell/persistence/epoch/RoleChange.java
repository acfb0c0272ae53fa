package io.twinbell.persistence.epoch;

import java.util.UUID;

/**
 * A line of the role history.
 *
 * @param tookMillis how long the node was on its way into the new role
 * @param steps the parts of it, as a JSON array of {@code {"step":…,"micros":…}}
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
