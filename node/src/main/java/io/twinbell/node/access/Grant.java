package io.twinbell.node.access;

import java.util.Locale;

/** What an editor may use in a task only if it is granted, because it reaches beyond the scheduler. Admins have all. */
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
