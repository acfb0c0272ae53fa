package io.twinbell.persistence.task;

import java.util.List;

/**
 * Finds and changes tasks that must follow a change elsewhere: of a calendar, or of defaults. A task lags behind a
 * calendar if its next fire time was computed with an older version than the stored one. A task that waits for the end
 * of its run counts only after that end, and a task in ERROR only after it is resumed.
 */
public interface LaggingTasks {
    /** The calendars that have lagging tasks. */
    List<String> calendars();

    /**
     * Applies the decision to tasks that lag behind a calendar and have an id above {@code afterId}, in id order, at
     * most {@link TaskStore#BULK} in one transaction. A task whose row another transaction holds is skipped.
     *
     * @return the greatest id that was examined, or -1 if there was none
     */
    long change(String calendar, long afterId, TaskDecision decision);

    /**
     * Applies the decision to unfinished tasks whose definition has values from defaults and that have an id above
     * {@code afterId}, in id order, at most {@link TaskStore#BULK} in one transaction.
     *
     * @param app null for all apps
     * @return the greatest id that was examined, or -1 if there was none
     */
    long changeDefaulted(String app, long afterId, TaskDecision decision);
}
