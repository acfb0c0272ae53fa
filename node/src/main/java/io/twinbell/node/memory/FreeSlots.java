package io.twinbell.node.memory;

import io.twinbell.node.json.StrictJson;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.task.Task;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.OptionalLong;

/** Finds a millisecond for a run that no schedule plans, as {@code twinbell.free_slots} does. */
final class FreeSlots {
    /** Instants that may be fire times of schedules are left free. */
    private static final long GRID_MILLIS = 10;

    private FreeSlots() {}

    /** The first free millisecond of the task that is not before {@code fromMillis}. */
    static long first(MemoryTables tables, Task task, long fromMillis) {
        OptionalLong start = start(task);
        long every = every(task);
        long at = fromMillis;
        while (isOnGrid(at, task, start, every) || tables.row(new Slot(task.id(), at)) != null) {
            at++;
        }
        return at;
    }

    private static boolean isOnGrid(long at, Task task, OptionalLong start, long every) {
        return task.progress().nextFireMillis().equals(OptionalLong.of(at))
                || at % GRID_MILLIS == 0
                || start.isPresent()
                        && ((at - start.getAsLong()) % GRID_MILLIS == 0
                                || every >= GRID_MILLIS && (at - start.getAsLong()) % every == 0);
    }

    private static OptionalLong start(Task task) {
        String start =
                StrictJson.readStored(task.content().definition()).path("start").textValue();
        try {
            return start == null
                    ? OptionalLong.empty()
                    : OptionalLong.of(Instant.parse(start).toEpochMilli());
        } catch (DateTimeException e) {
            return OptionalLong.empty();
        }
    }

    private static long every(Task task) {
        String every = StrictJson.readStored(task.content().definition())
                .path("schedule")
                .path("every")
                .textValue();
        try {
            return every == null ? 0 : Duration.parse(every).toMillis();
        } catch (DateTimeException e) {
            return 0;
        }
    }
}
