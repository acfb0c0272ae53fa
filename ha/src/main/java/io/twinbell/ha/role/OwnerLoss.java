package io.twinbell.ha.role;

/**
 * The loss of an epoch's owner whose database lock became free, or whose host is silent.
 *
 * @param isProven whether its process is certainly gone; if not, it neither answers nor uses the database
 * @param atMillis when the lock was free, by the database's clock; a process proven dead started nothing after it
 * @param noticedNanos when the loss was noticed, by this node's ticker
 * @param judgedNanos when the verdict was reached, by this node's ticker
 */
public record OwnerLoss(long epoch, boolean isProven, long atMillis, long noticedNanos, long judgedNanos) {}
