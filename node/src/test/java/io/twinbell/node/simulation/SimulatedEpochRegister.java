package io.twinbell.node.simulation;

import io.twinbell.persistence.epoch.Claimant;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.EpochRegister;
import io.twinbell.persistence.epoch.EpochRow;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;

/** Does on simulated tables what {@code JdbcEpochRegister} does on PostgreSQL. */
final class SimulatedEpochRegister implements EpochRegister {
    private static final int TRIES = 3;
    private static final long LOCK_TIMEOUT = 100 * World.MILLI;
    private static final long STATEMENT_TIMEOUT = 2 * World.SECOND;

    private final Link link;
    private final SimulatedDatabase database;
    private final Tables tables;
    private final World world;

    /** The result of one try to open. */
    private record Try(boolean isLocked, Optional<Epoch> epoch) {}

    SimulatedEpochRegister(Link link, SimulatedDatabase database) {
        this.link = link;
        this.database = database;
        tables = database.tables;
        world = database.world();
    }

    @Override
    public EpochRow read() {
        return link.ask("read epoch", this::readRow);
    }

    private EpochRow readRow() {
        Tables.EpochRecord row = tables.epoch;
        Tables.Drain latestDrain =
                row.drains.isEmpty() ? new Tables.Drain(0, null, 0) : row.drains.get(row.drains.size() - 1);
        return new EpochRow(
                row.number,
                row.node,
                row.incarnation,
                row.resigned,
                database.nowMillis() - Math.max(tables.beatMillis, row.openedMillis),
                latestDrain.epoch(),
                latestDrain.untilMillis(),
                row.resigned ? database.nowMillis() - row.resignedMillis : 0,
                null,
                null);
    }

    @Override
    public Optional<Epoch> open(long expected, Claimant claimant, String reason) {
        for (int attempt = 1; ; attempt++) {
            Try outcome = tryFor(LOCK_TIMEOUT, "open after " + expected, () -> openOnce(expected, claimant));
            if (!outcome.isLocked()) {
                return outcome.epoch();
            }
            if (attempt == TRIES) {
                throw link.unavailable("lock timeout");
            }
            endSessionsOfTheOwner();
        }
    }

    /**
     * Waits for statements that hold the row. The result says that the row is locked if the time limit passed first.
     */
    private Try tryFor(long bound, String what, Supplier<Try> work) {
        Try first = link.commit(what, work);
        if (!first.isLocked()) {
            return first;
        }
        world.pass(bound, () -> !database.isEpochSharedByOthersThan(link.backend()), link.process());
        return link.commit(what, work);
    }

    private Try openOnce(long expected, Claimant claimant) {
        Tables.EpochRecord row = tables.epoch;
        if (database.isEpochSharedByOthersThan(link.serving())) {
            return new Try(true, Optional.empty());
        }
        if (row.number != expected) {
            return new Try(false, Optional.empty());
        }
        tables.keepForReplica();
        row.number = Math.max(row.number + 1, claimant.latchCzxid());
        row.token = new UUID(world.random.nextLong(), world.random.nextLong());
        row.node = claimant.node();
        row.incarnation = claimant.incarnation();
        row.openedMillis = database.nowMillis();
        row.resigned = false;
        tables.beatMillis = database.nowMillis();
        tables.handOverRequests.removeIf(request -> request.epoch() < row.number);
        tables.openings.add(new Tables.Opened(row.number, row.node, row.openedMillis, world.now()));
        world.trace.say(link.process(), "OPENED epoch " + row.number);
        database.tell("epoch", 0);
        return new Try(false, Optional.of(new Epoch(row.number, row.token, row.node, row.openedMillis)));
    }

    private void endSessionsOfTheOwner() {
        UUID owner = read().incarnation();
        if (owner == null || owner.equals(link.process().incarnation())) {
            return;
        }
        link.ask("end the owner's sessions", () -> {
            database.sessionsOf(owner).forEach(backend -> database.terminate(backend.pid));
            return null;
        });
    }

    @Override
    public boolean beat(Epoch epoch) {
        return link.guarded("beat", () -> {
            boolean may = tables.isOwner(epoch);
            if (may) {
                tables.beatMillis = database.nowMillis();
            }
            return may;
        });
    }

    @Override
    public boolean confirm(Epoch epoch) {
        return link.guarded("confirm " + epoch.number(), () -> tables.isOwner(epoch));
    }

    @Override
    public boolean resign(Epoch epoch, Duration drain) {
        Try done = tryFor(STATEMENT_TIMEOUT, "resign " + epoch.number(), () -> {
            if (database.isEpochSharedByOthersThan(link.serving())) {
                return new Try(true, Optional.empty());
            }
            Tables.EpochRecord row = tables.epoch;
            boolean may = row.number == epoch.number() && epoch.token().equals(row.token);
            if (may) {
                row.resigned = true;
                row.resignedMillis = database.nowMillis();
                row.drains.removeIf(
                        other -> other.epoch() == row.number || other.untilMillis() <= database.nowMillis());
                row.drains.add(new Tables.Drain(row.number, row.token, database.nowMillis() + drain.toMillis()));
                row.drainMillis.put(row.number, database.nowMillis() + drain.toMillis());
            }
            return new Try(false, may ? Optional.of(epoch) : Optional.empty());
        });
        if (done.isLocked()) {
            throw link.unavailable("statement timeout");
        }
        return done.epoch().isPresent();
    }

    @Override
    public void drained(Epoch epoch) {
        link.commit("drained " + epoch.number(), () -> {
            tables.epoch.drains.replaceAll(
                    drain -> drain.epoch() == epoch.number() && drain.token().equals(epoch.token())
                            ? new Tables.Drain(drain.epoch(), drain.token(), database.nowMillis())
                            : drain);
            return null;
        });
    }

    @Override
    public void askToHandOver(long epoch, String askedBy, String reason) {
        link.commit("ask " + epoch + " to hand over", () -> {
            tables.handOverRequests.add(new Tables.HandOverRequest(epoch, askedBy, reason));
            database.tell("epoch", 0);
            return null;
        });
    }

    @Override
    public Optional<String> handOverAsked(Epoch epoch) {
        return link.ask(
                "hand-over asked",
                () -> tables.handOverRequests.stream()
                        .filter(request -> request.epoch() == epoch.number())
                        .map(request -> request.reason() + " (asked by " + request.by() + ")")
                        .findFirst());
    }
}
