package io.twinbell.ha.role;

/**
 * What is known about an epoch's owner whose database lock became free.
 *
 * @param isProven whether its process is certainly gone; if not, it neither answers nor uses the database
 * @param atMillis when the lock was free, by the database's clock; a process proven dead started nothing after it
 * @param noticedNanos the same instant by this node's ticker
 * @param judgedNanos when the verdict was reached, by this node's ticker
 */
public record OwnerLoss(long epoch, boolean isProven, long atMillis, long noticedNanos, long judgedNanos) {}
