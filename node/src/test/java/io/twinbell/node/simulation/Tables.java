package io.twinbell.node.simulation;

import io.twinbell.node.memory.MemoryTables;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.takeover.OwnerLocation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;

/** The tables in memory, and the rows by which a pair knows who owns the epoch and who drains. */
final class Tables extends MemoryTables {
    final EpochRecord epoch = new EpochRecord();
    final List<HandOverRequest> handOverRequests = new ArrayList<>();
    final List<Takeover> takeovers = new ArrayList<>();
    final List<Opened> openings = new ArrayList<>();
    OwnerLocation location;
    long beatMillis;

    private final SimulatedDatabase database;

    private Guard guard = new Guard() {
        @Override
        public boolean isOwner(Epoch of, Process writer) {
            return epoch.number == of.number() && of.token().equals(epoch.token) && !epoch.resigned;
        }

        @Override
        public boolean isOwnerOrDrains(Epoch of, Process writer) {
            return epoch.number == of.number() && of.token().equals(epoch.token)
                    || drains().anyMatch(drain ->
                            drain.epoch() == of.number() && drain.token().equals(of.token()));
        }
    };

    private Tables beforeLatestOpening;

    /** The condition that a statement checks before it writes. */
    interface Guard {
        boolean isOwner(Epoch of, Process writer);

        boolean isOwnerOrDrains(Epoch of, Process writer);
    }

    /** The epoch row, which holds the authority. */
    static final class EpochRecord {
        long number;
        UUID token;
        String node;
        UUID incarnation;
        long openedMillis;
        boolean resigned;
        long resignedMillis;
        /** The drains, the latest one last. Some of them may have ended. */
        final List<Drain> drains = new ArrayList<>();

        /** The drain time that each epoch got when it was resigned, for the checker. */
        final Map<Long, Long> drainMillis = new HashMap<>();

        void copy(EpochRecord other) {
            number = other.number;
            token = other.token;
            node = other.node;
            incarnation = other.incarnation;
            openedMillis = other.openedMillis;
            resigned = other.resigned;
            resignedMillis = other.resignedMillis;
            replace(drains, other.drains);
            drainMillis.putAll(other.drainMillis);
        }
    }

    /** A resigned epoch whose master may still record the runs that it finishes. */
    record Drain(long epoch, UUID token, long untilMillis) {}

    record HandOverRequest(long epoch, String by, String reason) {}

    record Takeover(String verdict, long atMillis) {}

    /** The opening of an epoch, also in true time. */
    record Opened(long epoch, String node, long atMillis, long atNanos) {}

    Tables(SimulatedDatabase database) {
        super(database::nowMicros);
        this.database = database;
    }

    @Override
    protected boolean isOwner(Epoch of) {
        return guard.isOwner(of, database.serving().process);
    }

    @Override
    protected boolean isOwnerOrDrains(Epoch of) {
        return guard.isOwnerOrDrains(of, database.serving().process);
    }

    @Override
    protected boolean isLocked(long taskId) {
        return database.isLocked(taskId, database.serving());
    }

    /** {@code twinbell.drains}. */
    Stream<Drain> drains() {
        return epoch.drains.stream().filter(drain -> drain.untilMillis() > database.nowMillis());
    }

    @Override
    protected boolean drains(long epochNumber) {
        return drains().anyMatch(drain -> drain.epoch() == epochNumber);
    }

    void guardedBy(Guard other) {
        guard = other;
    }

    /** Keeps a copy for a replica that lacks everything from the next opening on. */
    void keepForReplica() {
        beforeLatestOpening = snapshot();
    }

    /**
     * Returns to the state before the latest opening, so everything committed since is lost. Returns false if there was
     * no opening.
     */
    boolean goBack() {
        Tables older = beforeLatestOpening;
        beforeLatestOpening = null;
        if (older != null) {
            become(older);
        }
        return older != null;
    }

    Tables snapshot() {
        Tables snapshot = new Tables(database);
        snapshot.become(this);
        return snapshot;
    }

    void become(Tables other) {
        copy(other);
        epoch.copy(other.epoch);
        replace(handOverRequests, other.handOverRequests);
        replace(takeovers, other.takeovers);
        replace(openings, other.openings);
        location = other.location;
        beatMillis = other.beatMillis;
    }

    private static <T> void replace(List<T> list, List<T> with) {
        list.clear();
        list.addAll(with);
    }
}
