package io.twinbell.persistence.ledger.claim;

import io.twinbell.persistence.task.DefinitionParts;
import java.util.List;

/**
 * What the claim needs to know about a task.
 *
 * @param version changes with every edit, so a claim that is based on an older definition changes nothing
 * @param nextFireMillis {@link Long#MAX_VALUE} if the task is not ACTIVE or waits for the end of its run
 * @param offSchedule whether the next fire time is valid even if the schedule does not contain it
 * @param priority 0 to 9
 */
public record DueTask(
        long id,
        long version,
        String app,
        String name,
        DefinitionParts definition,
        long nextFireMillis,
        boolean offSchedule,
        byte priority,
        List<String> tags) {}
