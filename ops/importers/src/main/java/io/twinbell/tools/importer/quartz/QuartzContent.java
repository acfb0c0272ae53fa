package io.twinbell.tools.importer.quartz;

import io.twinbell.tools.importer.SourceRow;
import java.util.List;
import java.util.Map;

/**
 * The content of a Quartz store for one scheduler.
 *
 * @param calendars their serialized forms by name
 * @param badRows the jobs and triggers that cannot be read
 */
public record QuartzContent(
        List<Job> jobs, List<QuartzTrigger> triggers, Map<String, byte[]> calendars, List<BadRow> badRows) {
    /** A name in a group. */
    public record Key(String group, String name) {
        public Key {
            group = String.valueOf(group);
            name = String.valueOf(name);
        }

        /** The key for people; the default group is omitted. */
        String plain() {
            return group.equals("DEFAULT") ? name : group + "." + name;
        }
    }

    /**
     * A row of JOB_DETAILS.
     *
     * @param data serialized, or properties; may be null
     */
    public record Job(Key key, String description, String className, JobAttributes jobAttributes, byte[] data) {}

    /** A row that is not understood, and why. */
    public record BadRow(String where, String reason) {}

    /** The attributes of a job from its class and its builder. */
    public record JobAttributes(
            boolean isDurable, boolean isNonConcurrent, boolean updatesItsData, boolean requestsRecovery) {}

    /**
     * A row of TRIGGERS with the row of its kind.
     *
     * @param type CRON, SIMPLE, CAL_INT, DAILY_I or BLOB
     */
    public record QuartzTrigger(
            Key key, Key job, String type, TriggerState triggerState, SourceRow kind, byte[] data) {}

    /**
     * The state of a trigger; instants in milliseconds since 1970 UTC, 0 or less for none.
     *
     * @param calendar may be null
     */
    public record TriggerState(
            String state,
            String calendar,
            int priority,
            int misfire,
            long nextMillis,
            long startMillis,
            long endMillis) {}
}
