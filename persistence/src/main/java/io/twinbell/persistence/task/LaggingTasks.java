package io.twinbell.persistence.task;

import java.util.List;

/**
 * Tasks whose next fire time was computed with an older version of a calendar than is stored. Those that wait for the end
 * of their run are not counted before it, and those in ERROR not before they are resumed.
 */
public interface LaggingTasks {
    /** The calendars that some task lags behind. */
    List<String> calendars();

    /**
     * Decides about those that lag behind one calendar and have an id above {@code afterId}, in id order, at most
     * {@link TaskStore#BULK} in one transaction. A task whose row somebody holds is left as it is.
     *
     * @return the greatest id that was looked at, or -1 if there was none
     */
    long change(String calendar, long afterId, TaskDecision decision);
}
