package io.twinbell.daemon.survey;

import java.time.Duration;

/**
 * The result of a test commit.
 *
 * @param took null if the commit did not end within {@code bound}
 * @param synchronousStandbys the server's {@code synchronous_standby_names}, the replicas that each commit waits
 *     for; empty for none
 * @param replicas how many replicas are connected, synchronous or not
 */
public record CommitFacts(Duration took, Duration bound, String synchronousStandbys, int replicas) {}
