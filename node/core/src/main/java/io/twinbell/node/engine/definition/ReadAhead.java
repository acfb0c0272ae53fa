package io.twinbell.node.engine.definition;

import io.twinbell.node.engine.step.EngineEvent;
import io.twinbell.node.engine.task.TaskCompiler;
import io.twinbell.node.loop.Signals;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.ledger.claim.DueTask;
import io.twinbell.persistence.ledger.claim.DueTasks;
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
 * Reads and compiles the definitions for the next claim while a claim is under way, on its own thread and connection.
 * If an edit outdates a definition meanwhile, the claim changes no row, as with every cached definition. The claimer
 * itself reads definitions that do not arrive in time. All methods except {@link #step} and {@link #warmUp} are for the
 * claimer's thread.
 */
public final class ReadAhead {
    private static final Logger LOG = LoggerFactory.getLogger(ReadAhead.class);
    private static final long UNTIL_WOKEN_NANOS = Duration.ofHours(1).toNanos();
    /**
     * Reading a thousand takes 10 ms. If this connection does not answer, the claims, which use another one, need not
     * wait for it.
     */
    public static final Duration PATIENCE = Duration.ofMillis(100);

    private static final long[] NOBODYS = {0};
    /** The largest total of definitions read at once, in characters, apart from the last group. */
    private static final long MOST_TEXT = 8 << 20;

    private static final int AT_ONCE = 250;
    private static final int WANTED_AT_ONCE = 4000;

    /** The bounds of what is kept. A small definition has some hundred characters and takes about as many bytes. */
    private static final Definitions.Bounds KEPT =
            new Definitions.Bounds(100_000, Runtime.getRuntime().maxMemory() / 16);

    private final DueTasks table;
    private final TaskCompiler compiler;
    private final Duration patience;
    private final Signals<EngineEvent> signals;
    private final ClaimWarmUp.CallPacer warmUpPacer = new ClaimWarmUp.CallPacer();
    private final AtomicReference<Request> next = new AtomicReference<>();
    private final Map<Long, Definitions.KnownDefinition> read = new HashMap<>();
    /** Total characters of the definitions in {@link #read}. */
    private long text;

    private boolean areClassesLoaded;

    private Request asked;

    private record Request(long[] ids, CompletableFuture<Map<Long, Definitions.KnownDefinition>> answer) {}

    /**
     * @param table on a connection that the claims do not use
     * @param patience how long to wait for a read under way
     */
    public ReadAhead(DueTasks table, TaskCompiler compiler, Duration patience, Signals<EngineEvent> signals) {
        this.table = table;
        this.compiler = compiler;
        this.patience = patience;
        this.signals = signals;
    }

    /** Requests the definitions that will be needed next. An earlier request that has not been answered is dropped. */
    void begin(long[] ids) {
        asked = new Request(ids, new CompletableFuture<>());
        next.set(asked);
        signals.raise(EngineEvent.DEFINITIONS_WANTED);
    }

    /** Whether a new request would drop an earlier one. */
    boolean isBusy() {
        return asked != null && !asked.answer().isDone();
    }

    /** Whether more may be read than is needed at once. */
    boolean hasRoom() {
        collect();
        return read.size() < KEPT.tasks() && text < KEPT.length();
    }

    boolean has(long id) {
        collect();
        return read.containsKey(id);
    }

    /**
     * Removes and returns the task's definition; null if it was not read. Waits for a read under way, and drops a
     * request that has not begun.
     */
    Definitions.KnownDefinition take(long id) {
        collect();
        return remove(id);
    }

    private Definitions.KnownDefinition remove(long id) {
        Definitions.KnownDefinition known = read.remove(id);
        text -= known == null ? 0 : known.length();
        return known;
    }

    /** Forgets the definition of a task that has changed or was removed. */
    void forget(long id) {
        remove(id);
    }

    void clear() {
        next.set(null);
        asked = null;
        forgetAll();
    }

    private void keep(long id, Definitions.KnownDefinition known) {
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
            Map<Long, Definitions.KnownDefinition> answer =
                    request.answer().get(patience.toMillis(), TimeUnit.MILLISECONDS);
            if (read.size() > KEPT.tasks() + WANTED_AT_ONCE || text > KEPT.length() + MOST_TEXT) {
                // The claimer does not take what was read.
                forgetAll();
            }
            answer.forEach(this::keep);
        } catch (TimeoutException | ExecutionException e) {
            LOG.debug("the definitions to read ahead did not arrive in time", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Opens the connection and prepares the statement. */
    public void warmUp() {
        warmUpPacer.run(() -> table.read(NOBODYS));
    }

    /** Reads the requested definitions; returns how long to sleep, in nanoseconds. The reader's thread. */
    public long step() {
        if (!areClassesLoaded) {
            areClassesLoaded = true;
            compiler.loadClasses();
        }
        Request request = next.getAndSet(null);
        if (request != null) {
            try {
                request.answer().complete(read(request.ids()));
            } catch (DatabaseUnavailableException e) {
                LOG.debug("reading definitions ahead failed: {}", e.getMessage());
            } finally {
                // Completed in any case, so that the claimer does not wait.
                request.answer().complete(Map.of());
            }
        }
        return UNTIL_WOKEN_NANOS;
    }

    private Map<Long, Definitions.KnownDefinition> read(long[] ids) {
        Map<Long, Definitions.KnownDefinition> found = new HashMap<>();
        long text = 0;
        for (int from = 0; from < ids.length && text < MOST_TEXT; from += AT_ONCE) {
            for (DueTask task : table.read(Arrays.copyOfRange(ids, from, Math.min(from + AT_ONCE, ids.length)))) {
                found.put(task.id(), Definitions.KnownDefinition.of(task, compiler));
                text += task.definition().length();
            }
        }
        return found;
    }
}
