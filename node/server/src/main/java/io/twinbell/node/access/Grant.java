package io.twinbell.node.access;

import java.util.Locale;

/**
 * Features of tasks that reach beyond the scheduler. An editor may use one only if it is granted; admins have all
 * grants.
 */
public enum Grant {
    /** Tasks with the handler {@code sql}. */
    SQL,
    /** Tasks with the handler {@code shell}. */
    SHELL,
    /** Secrets of the configuration, in tasks and in webhooks of alerts. */
    SECRETS;

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
