package io.twinbell.ha.role;

/**
 * What was found out about the owner of an epoch whose database lock has fallen free.
 *
 * @param isProven whether its process is gone for certain; if not, it neither answers nor speaks to the database
 * @param atMillis when the lock was free, by the database's clock: a process proven dead started nothing after it
 * @param noticedNanos the same instant by this node's ticker
 * @param judgedNanos when this was found out, by the ticker
 */
public record OwnerLoss(long epoch, boolean isProven, long atMillis, long noticedNanos, long judgedNanos) {}
