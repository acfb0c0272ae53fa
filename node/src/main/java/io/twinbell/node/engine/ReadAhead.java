package io.twinbell.node.engine;

import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.ledger.DueTask;
import io.twinbell.persistence.ledger.DueTasks;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads and compiles the definitions of what is claimed next while a claim is under way, on a thread and a connection of
 * its own. It decides nothing: what an edit outdates meanwhile makes a claim that changes no row, like any definition that
 * is kept, and what is not here when it is wanted the claimer reads itself.
 */
final class ReadAhead {
    private static final Logger LOG = LoggerFactory.getLogger(ReadAhead.class);
    private static final long UNTIL_WOKEN_NANOS = Duration.ofHours(1).toNanos();
    private static final long[] NOTHING = {};
    private static final long[] NOBODYS = {0};
    /** What was read and not wanted after all is forgotten when there is so much of it. */
    private static final int MOST = 4000;

    private final DueTasks table;
    private final DefinitionCompiler compiler;
    private final Map<Long, Definitions.Known> read = new HashMap<>();
    private final InVain.Pace inVain = new InVain.Pace();
    private long[] wanted = NOTHING;
    private Runnable wake = () -> {};

    /** @param table on a connection that the claims do not use */
    ReadAhead(DueTasks table, DefinitionCompiler compiler) {
        this.table = table;
        this.compiler = compiler;
    }

    void wakes(Runnable reader) {
        wake = reader;
    }

    /** These will be wanted next. */
    synchronized void begin(long[] ids) {
        wanted = ids;
        wake.run();
    }

    synchronized boolean has(long id) {
        return read.containsKey(id);
    }

    /** What was read of the task, once; null if nothing was. Waits for a read under way. */
    synchronized Definitions.Known take(long id) {
        wanted = NOTHING;
        return read.remove(id);
    }

    synchronized void clear() {
        wanted = NOTHING;
        read.clear();
    }

    /** So that its connection is open and its statement prepared. */
    void warmUp() {
        inVain.run(() -> table.read(NOBODYS));
    }

    /** Reads what will be wanted; returns how long to sleep, in nanoseconds. Holds its lock, so that nobody reads it twice. */
    synchronized long step() {
        long[] ids = wanted;
        wanted = NOTHING;
        if (ids.length == 0) {
            return UNTIL_WOKEN_NANOS;
        }
        if (read.size() > MOST) {
            read.clear();
        }
        try {
            for (DueTask task : table.read(ids)) {
                read.put(task.id(), compiler.compile(task));
            }
        } catch (DatabaseUnavailableException e) {
            LOG.debug("nothing read ahead: {}", e.getMessage());
        }
        return UNTIL_WOKEN_NANOS;
    }
}
