package io.twinbell.node.simulation;

import io.twinbell.persistence.database.DatabaseUnavailableException;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * A process's connection to the database, as {@code DedicatedConnection} is: one call at a time, reopened after a
 * failure. What happens to each call is drawn: it may be slow before or after its commit, never arrive, be answered
 * after its client has gone, or be executed long after its client has given up.
 */
final class Link {
    /** The purposes for which a node keeps connections. */
    static final List<String> PURPOSES =
            List.of("epoch", "epoch", "claims", "outcomes", "gate", "pulse", "takeover", "master lock", "node lock");

    private static final long ANSWER_TIMEOUT = 3 * World.SECOND;

    private final SimulatedDatabase database;
    private final Process process;
    private final String purpose;
    private final World world;
    private Backend backend;
    private Backend serving;
    private int sentTo;
    private SimulatedClaimJournal arrivals;

    private enum Kind {
        READS,
        WRITES,
        /** Writes, and holds the epoch row. */
        GUARDED
    }

    /** One statement or transaction on its way. */
    private static final class Call<T> {
        final Backend backend;
        final Supplier<T> work;
        T answer;
        RuntimeException thrown;
        boolean done;
        boolean carriedOut;
        /** Whether the commit waits for the replica. */
        boolean isKeptBack;

        Call(Backend backend, Supplier<T> work) {
            this.backend = backend;
            this.work = work;
        }
    }

    Link(SimulatedDatabase database, Process process, String purpose) {
        this.database = database;
        this.process = process;
        this.purpose = purpose;
        world = process.world();
    }

    Process process() {
        return process;
    }

    String purpose() {
        return purpose;
    }

    /** The session, as far as the client knows; null if it has none. */
    Backend backend() {
        return backend;
    }

    /** The session of the statement that the server executes now. */
    Backend serving() {
        return serving;
    }

    /** The session that the last call was sent to. */
    int sentTo() {
        return sentTo;
    }

    /** Executes a statement that only reads, or whose write must not wait for a replica. */
    <T> T ask(String what, Supplier<T> work) {
        return call(what, Kind.READS, Set.of(), work);
    }

    /** Executes a statement that writes without a guard. */
    <T> T commit(String what, Supplier<T> work) {
        return call(what, Kind.WRITES, Set.of(), work);
    }

    /** Makes sure that everything readable is durable, by a commit of its own if commits wait for a replica. */
    void passBarrier() {
        if (isUnanswered() && database.replica().hasBarriers()) {
            commit("barrier", () -> null);
        }
    }

    boolean isUnanswered() {
        return database.replica().isAwaited();
    }

    void onArrival(SimulatedClaimJournal check) {
        arrivals = check;
    }

    /** Executes a statement that holds the epoch row while it runs. */
    <T> T guarded(String what, Supplier<T> work) {
        return call(what, Kind.GUARDED, Set.of(), work);
    }

    /** The same, and the statement also holds the rows of these tasks. */
    <T> T guarded(String what, Set<Long> tasks, Supplier<T> work) {
        return call(what, Kind.GUARDED, tasks, work);
    }

    /** Delays the answer. */
    void linger(long nanos) {
        process.busy(purpose, true);
        try {
            world.pass(nanos, () -> false, process);
        } finally {
            process.busy(purpose, false);
        }
    }

    private <T> T call(String what, Kind kind, Set<Long> tasks, Supplier<T> work) {
        if (process.isDead()) {
            throw new ProcessEnded();
        }
        connect();
        process.busy(purpose, true);
        try {
            return send(what, kind, tasks, work);
        } finally {
            process.busy(purpose, false);
        }
    }

    private void connect() {
        if (backend != null && backend.ended) {
            backend = null;
            throw unavailable("the session was ended");
        }
        if (!database.isReachableFrom(process.node())) {
            giveUp();
            long patience = database.isSilentFor(process.node()) && !world.isInTheWay(process) ? World.SECOND : 0;
            if (patience > 0) {
                world.pass(patience, () -> false, process);
            }
            throw unavailable("no connection");
        }
        if (backend == null) {
            int timeline = database.replica().timelineFor(process.node());
            if (!process.history().admits(timeline)) {
                throw unavailable("a former primary");
            }
            process.history().used(timeline);
            backend = database.connect(process, purpose);
            backend.timeline = timeline;
        }
    }

    private <T> T send(String what, Kind kind, Set<Long> tasks, Supplier<T> work) {
        Call<T> call = new Call<>(backend, work);
        long stalled = world.isInTheWay(process) ? 0 : database.stalledNanos(process.node(), purpose);
        Weather.Call fate = database.weather().next(world).after(stalled);
        world.trace.say(process, purpose + " " + what + (fate.isPlain() ? "" : " " + fate));
        backend.statements++;
        sentTo = backend.pid;
        backend.spokeNanos = world.now();
        if (fate.isPlain()) {
            carryOut(call);
        } else {
            Runnable arrive = () -> arrive(call, kind == Kind.GUARDED, tasks, fate.lockedNanos());
            if (fate.beforeNanos() == 0) {
                arrive.run();
            } else {
                world.after(fate.beforeNanos(), arrive);
            }
            await(call, fate);
        }
        if (kind != Kind.READS && call.isKeptBack) {
            world.pass(ANSWER_TIMEOUT, () -> call.backend.ended, process);
            giveUp();
            throw unavailable("no answer");
        }
        return answer(call);
    }

    /** Waits for the answer, or until the connection breaks. */
    private void await(Call<?> call, Weather.Call fate) {
        if (fate.breaksNanos() >= 0) {
            world.pass(fate.breaksNanos(), () -> call.done, process);
            giveUp();
            if (!fate.isCarriedOutAllTheSame() && !call.carriedOut) {
                database.end(call.backend);
            }
            throw unavailable("the connection broke");
        }
        world.pass(Long.MAX_VALUE / 4, () -> call.done || call.backend.ended, process);
        world.pass(fate.afterNanos(), () -> false, process);
    }

    private <T> T answer(Call<T> call) {
        if (call.backend.ended || !database.isReachableFrom(process.node())) {
            giveUp();
            throw unavailable("the connection broke before the answer");
        }
        call.backend.spokeNanos = world.now();
        if (call.thrown != null) {
            throw call.thrown;
        }
        return call.answer;
    }

    private void arrive(Call<?> call, boolean isGuarded, Set<Long> tasks, long lockedNanos) {
        if (call.backend.ended) {
            return;
        }
        if (lockedNanos == 0) {
            carryOut(call);
            return;
        }
        call.backend.sharesEpoch = isGuarded;
        tasks.stream().filter(task -> !database.isLocked(task, call.backend)).forEach(call.backend.tasks::add);
        world.after(lockedNanos, () -> carryOut(call));
    }

    private <T> void carryOut(Call<T> call) {
        if (call.backend.ended) {
            return;
        }
        serving = call.backend;
        database.serves(call.backend);
        try {
            database.replica().with(call.backend.timeline, () -> {
                if (arrivals != null) {
                    arrivals.arrived();
                }
                call.answer = call.work.get();
            });
        } catch (RuntimeException e) {
            call.thrown = e;
        } finally {
            serving = null;
        }
        call.carriedOut = true;
        call.isKeptBack = isUnanswered();
        call.done = true;
        call.backend.sharesEpoch = false;
        call.backend.tasks.clear();
        call.backend.statements--;
        if (call.backend.abandoned) {
            database.end(call.backend);
        }
    }

    /** The client closes its side; the server notices when it has nothing else to do. */
    private void giveUp() {
        if (backend != null) {
            database.abandon(backend);
            backend = null;
        }
    }

    void close() {
        giveUp();
    }

    DatabaseUnavailableException unavailable(String why) {
        return new DatabaseUnavailableException(purpose, new SQLException(why, "08006"));
    }
}
