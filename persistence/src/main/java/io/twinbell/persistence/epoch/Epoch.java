package io.twinbell.persistence.epoch;

import java.util.UUID;

/**
 * The right to write, as a value: whoever claims or completes passes the epoch that it does so under, and the database
 * compares it in the same statement.
 *
 * @param number grows by at least one with every promotion
 * @param token random, known to its owner alone: two processes that took the same number cannot both write
 * @param node the owner's id
 * @param openedAtMillis when it was opened, by the database's clock
 */
public record Epoch(long number, UUID token, String node, long openedAtMillis) {
    @Override
    public String toString() {
        return "epoch " + number + " of " + node;
    }
}
