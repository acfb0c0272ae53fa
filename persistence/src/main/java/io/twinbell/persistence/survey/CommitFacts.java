package io.twinbell.persistence.survey;

import java.time.Duration;

/**
 * A commit that was tried, to see whether it ends.
 *
 * @param took null if it did not end within {@code bound}
 * @param synchronousStandbys the server's {@code synchronous_standby_names}: replicas that each commit waits for; empty for none
 * @param replicas how many replicas are attached, synchronous or not
 */
public record CommitFacts(Duration took, Duration bound, String synchronousStandbys, int replicas) {}
