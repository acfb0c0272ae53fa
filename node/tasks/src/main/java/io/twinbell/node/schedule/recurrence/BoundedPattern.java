package io.twinbell.node.schedule.recurrence;

import io.twinbell.node.schedule.local.LocalPattern;

/** A pattern from its first to its last local time, both included. */
record BoundedPattern(LocalPattern pattern, long first, long last) implements LocalPattern {
    @Override
    public long atOrAfter(long local) {
        if (local > last) {
            return NONE_AFTER;
        }
        long found = pattern.atOrAfter(Math.max(local, first));
        return found > last ? NONE_AFTER : found;
    }

    @Override
    public long atOrBefore(long local) {
        if (local < first) {
            return NONE_BEFORE;
        }
        long found = pattern.atOrBefore(Math.min(local, last));
        return found < first ? NONE_BEFORE : found;
    }
}
