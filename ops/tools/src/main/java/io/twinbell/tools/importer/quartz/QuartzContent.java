package io.twinbell.tools.importer.quartz;

import java.util.List;
import java.util.Map;

/**
 * The content of a Quartz store for one scheduler.
 *
 * @param calendars their serialized forms by name
 */
public record QuartzContent(List<Job> jobs, List<QuartzTrigger> triggers, Map<String, byte[]> calendars) {
    /** A name in a group. */
    public record Key(String group, String name) {
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

    /** The attributes of a job from its class and its builder. */
    public record JobAttributes(
            boolean isDurable, boolean isNonConcurrent, boolean updatesItsData, boolean requestsRecovery) {}

    /**
     * A row of TRIGGERS with the row of its kind.
     *
     * @param type CRON, SIMPLE, CAL_INT, DAILY_I or BLOB
     */
    public record QuartzTrigger(
            Key key, Key job, String type, TriggerState triggerState, Map<String, Object> kind, byte[] data) {}

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
