package io.twinbell.node.audit.store;

/**
 * One change, or one refused attempt.
 *
 * @param databaseRole the role whose session wrote the entry
 * @param target what was changed
 * @param outcome {@code DONE} or {@code REFUSED}
 * @param items how many objects or attempts the entry stands for
 */
public record AuditEntry(
        long id,
        long atMicros,
        Author author,
        String databaseRole,
        Target target,
        String act,
        ChangedValues values,
        String outcome,
        String detail,
        long items) {
    /** What the triggers write in place of the definitions of tasks that run once. */
    private static final String ONCE = "{\"once\": true";

    /** Whether the entry is about new tasks that run once, which applications create by the thousand. */
    public boolean isAboutNewOneShots() {
        return act.equals("CREATE")
                && target.kind().equals("TASK")
                && values.after() != null
                && values.after().startsWith(ONCE);
    }

    /**
     * Who made the change, and through what.
     *
     * @param address of the client; null if unknown
     */
    public record Author(String name, String channel, String address, String request) {}

    /** What was changed; all but the kind may be null. */
    public record Target(String kind, String object, String app, String name) {}

    /** The values before and after as JSON; each may be null. */
    public record ChangedValues(String before, String after) {}
}
