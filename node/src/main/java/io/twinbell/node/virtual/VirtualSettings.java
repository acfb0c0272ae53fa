package io.twinbell.node.virtual;

import io.twinbell.handler.TaskHandler;
import io.twinbell.persistence.limit.RunLimit;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * The settings of a node in virtual time, besides the program's code.
 *
 * @param start the instant at which virtual time begins
 * @param cluster the name of the cluster
 * @param retention how long the ledger keeps a row: an older fire time is recorded as MISSED
 * @param standIns handlers that run in place of the handlers of a type, such as {@code http}
 * @param durations how long runs take in virtual time, by the key of a java handler or the type of another one
 * @param calendars JSON of calendars, by name
 */
public record VirtualSettings(
        Instant start,
        String cluster,
        Duration retention,
        Map<String, TaskHandler> standIns,
        Map<String, Duration> durations,
        List<RunLimit> limits,
        Map<String, String> calendars) {}
