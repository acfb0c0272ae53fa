package io.twinbell.node.engine.definition;

import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.ledger.DueTask;
import io.twinbell.persistence.ledger.DueTasks;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads and compiles the definitions of what is claimed next while a claim is under way, on a thread and a connection of
 * its own. It decides nothing: what an edit outdates meanwhile makes a claim that changes no row, like any definition that
 * is kept, and what does not come in time the claimer reads itself. All but
 * {@link #step} and {@link #warmUp} is for the claimer's thread.
 */
public final class ReadAhead {
    private static final Logger LOG = LoggerFactory.getLogger(ReadAhead.class);
    private static final long UNTIL_WOKEN_NANOS = Duration.ofHours(1).toNanos();
    /** A thousand take 10 ms. The connection that does not answer is not that of the claims, which need not wait for it. */
    public static final Duration PATIENCE = Duration.ofMillis(100);

    private static final long[] NOBODYS = {0};
    /** Of large definitions no more are read at once than this, in characters. */
    private static final long MOST_TEXT = 8 << 20;

    private static final int AT_ONCE = 250;
    private static final int WANTED_AT_ONCE = 4000;

    /** How much is kept: small definitions, which have some hundred characters, take about as many bytes. */
    private static final Definitions.Bounds KEPT =
            new Definitions.Bounds(100_000, Runtime.getRuntime().maxMemory() / 16);

    private final DueTasks table;
    private final DefinitionCompiler compiler;
    private final Duration patience;
    private final ClaimWarmUp.Pace inVain = new ClaimWarmUp.Pace();
    private final AtomicReference<Request> next = new AtomicReference<>();
    private final Map<Long, Definitions.Known> read = new HashMap<>();
    /** Characters of what they were read from. */
    private long text;

    private Request asked;
    private Runnable wake = () -> {};

    private record Request(long[] ids, CompletableFuture<Map<Long, Definitions.Known>> answer) {}

    /**
     * @param table on a connection that the claims do not use
     * @param patience how long a read under way is waited for
     */
    public ReadAhead(DueTasks table, DefinitionCompiler compiler, Duration patience) {
        this.table = table;
        this.compiler = compiler;
        this.patience = patience;
    }

    public void wakes(Runnable reader) {
        wake = reader;
    }

    /** These will be wanted next. What was asked for before and has not come is given up. */
    void begin(long[] ids) {
        asked = new Request(ids, new CompletableFuture<>());
        next.set(asked);
        wake.run();
    }

    /** Whether asking now for more would give up what was asked for before. */
    boolean isBusy() {
        return asked != null && !asked.answer().isDone();
    }

    /** Whether more may be read than is wanted at once. */
    boolean hasRoom() {
        collect();
        return read.size() < KEPT.tasks() && text < KEPT.length();
    }

    boolean has(long id) {
        collect();
        return read.containsKey(id);
    }

    /** What was read of the task, once; null if nothing was. Waits for a read under way, and gives up one that has not begun. */
    Definitions.Known take(long id) {
        collect();
        return remove(id);
    }

    private Definitions.Known remove(long id) {
        Definitions.Known known = read.remove(id);
        text -= known == null ? 0 : known.length();
        return known;
    }

    /** The task has changed, or is gone. */
    void forget(long id) {
        remove(id);
    }

    void clear() {
        next.set(null);
        asked = null;
        forgetAll();
    }

    private void keep(long id, Definitions.Known known) {
        remove(id);
        read.put(id, known);
        text += known.length();
    }

    private void forgetAll() {
        read.clear();
        text = 0;
    }

    private void collect() {
        Request request = asked;
        asked = null;
        if (request == null || next.compareAndSet(request, null)) {
            return;
        }
        try {
            Map<Long, Definitions.Known> answer = request.answer().get(patience.toMillis(), TimeUnit.MILLISECONDS);
            if (read.size() > KEPT.tasks() + WANTED_AT_ONCE || text > KEPT.length() + MOST_TEXT) {
                // Nobody takes it.
                forgetAll();
            }
            answer.forEach(this::keep);
        } catch (TimeoutException | ExecutionException e) {
            LOG.debug("what should be read ahead does not come in time", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** So that its connection is open and its statement prepared. */
    public void warmUp() {
        inVain.run(() -> table.read(NOBODYS));
    }

    /** Reads what was asked for; returns how long to sleep, in nanoseconds. The reader's thread. */
    public long step() {
        Request request = next.getAndSet(null);
        if (request != null) {
            try {
                request.answer().complete(read(request.ids()));
            } catch (DatabaseUnavailableException e) {
                LOG.debug("nothing was read ahead: {}", e.getMessage());
            } finally {
                // Whatever went wrong, nobody waits for it.
                request.answer().complete(Map.of());
            }
        }
        return UNTIL_WOKEN_NANOS;
    }

    private Map<Long, Definitions.Known> read(long[] ids) {
        Map<Long, Definitions.Known> found = new HashMap<>();
        long text = 0;
        for (int from = 0; from < ids.length && text < MOST_TEXT; from += AT_ONCE) {
            for (DueTask task : table.read(Arrays.copyOfRange(ids, from, Math.min(from + AT_ONCE, ids.length)))) {
                found.put(task.id(), compiler.compile(task));
                text += task.definition().length();
            }
        }
        return found;
    }
}
