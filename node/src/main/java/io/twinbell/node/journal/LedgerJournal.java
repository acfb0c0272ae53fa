package io.twinbell.node.journal;

import io.twinbell.node.journal.LedgerJournal.JournalEvent.ReturnEvent;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.database.ServerHistory;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Attempt;
import io.twinbell.persistence.ledger.Completion;
import io.twinbell.persistence.ledger.Slot;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps in memory the claims and outcomes that the database has confirmed to this node in the last minutes. A replica
 * that receives the log asynchronously lacks the latest of them when it is promoted. The journal then enters them again
 * before anything else is claimed or recorded there, so that no slot that this node has started runs a second time.
 *
 * <p>Events are kept only after a replica has been seen. Bounds: {@value #MOST_EVENTS} events and five minutes.
 * Thread-safe.
 */
public final class LedgerJournal {
    private static final Logger LOG = LoggerFactory.getLogger(LedgerJournal.class);
    static final int MOST_EVENTS = 100_000;
    private static final long KEPT_NANOS = Duration.ofMinutes(5).toNanos();
    /**
     * Claims and outcomes are committed on separate connections, so their order may differ slightly from the journal's.
     */
    private static final int MARGIN = 500;

    private final ServerHistory servers;
    private final Ticker ticker;
    private final Deque<TimedEvent> events = new ArrayDeque<>();
    private volatile boolean hasReplica;
    private boolean hasForgotten;
    private volatile int enteredGeneration;

    private record TimedEvent(long nanos, JournalEvent event) {}

    private record Key(Slot slot, int attempt) {
        static Key of(JournalEvent event) {
            return new Key(event.slot(), event.attempt());
        }
    }

    public LedgerJournal(ServerHistory servers, Ticker ticker) {
        this.servers = servers;
        this.ticker = ticker;
        enteredGeneration = servers.generation();
    }

    /**
     * Checks whether the server has replicas. Once one was seen, events are always kept, because a lagging replica may
     * be disconnected for a while.
     */
    public void findReplicas(DedicatedConnection connection) {
        if (!hasReplica) {
            hasReplica = connection.run(c -> {
                try (var statement = c.createStatement();
                        var row = statement.executeQuery(
                                "select exists (select 1 from pg_catalog.pg_stat_replication)")) {
                    row.next();
                    return row.getBoolean(1);
                }
            });
        }
    }

    boolean isKept() {
        return hasReplica;
    }

    void add(JournalEvent event) {
        long now = ticker.nanos();
        synchronized (events) {
            events.add(new TimedEvent(now, event));
            while (events.size() > MOST_EVENTS || now - events.peek().nanos() > KEPT_NANOS) {
                hasForgotten |= events.size() > MOST_EVENTS;
                events.remove();
            }
        }
    }

    /**
     * Enters again what the server of a connection lacks, if the database was promoted since the last call. Call it
     * with each connection that claims, records or looks up claims, before its first statement.
     *
     * @throws SQLException if not everything was entered; the next connection tries again
     */
    public void arrived(Connection connection) throws SQLException {
        if (servers.generation() != enteredGeneration) {
            enterAgain(connection);
        }
    }

    private synchronized void enterAgain(Connection connection) throws SQLException {
        int generation = servers.generation();
        if (generation == enteredGeneration) {
            return;
        }
        List<JournalEvent> known = known();
        int first = firstMissing(connection, known);
        if (first < known.size()) {
            enter(connection, known, first);
        }
        enteredGeneration = generation;
    }

    private List<JournalEvent> known() {
        synchronized (events) {
            return events.stream().map(TimedEvent::event).toList();
        }
    }

    /**
     * The index of the first missing event, by binary search. The log is one sequence, so every event after the first
     * missing one is missing as well.
     */
    private static int firstMissing(Connection connection, List<JournalEvent> known) throws SQLException {
        int low = 0;
        int high = known.size();
        while (low < high) {
            int middle = (low + high) / 2;
            if (LostCommitReplay.isMissing(connection, known.get(middle))) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    private void enter(Connection connection, List<JournalEvent> known, int first) throws SQLException {
        if (first == 0 && hasForgotten) {
            LOG.error("the promoted server lacks more claims than this node remembers: older slots may run again");
        }
        List<JournalEvent> lost = withoutGivenBack(known.subList(Math.max(0, first - MARGIN), known.size()));
        Set<Slot> entered = new HashSet<>();
        for (List<JournalEvent> some : chunks(lost)) {
            entered.addAll(LostCommitReplay.enter(connection, some));
        }
        if (!entered.isEmpty()) {
            LostCommitReplay.note(connection, lost.get(lost.size() - 1).epoch(), entered);
            LOG.warn(
                    "the promoted server lacked {} slots that this node had claimed: recorded them again, first"
                            + " slots: {}",
                    entered.size(),
                    entered.stream()
                            .map(Slot::idempotencyKey)
                            .sorted()
                            .limit(10)
                            .toList());
        }
    }

    /** Leaves out attempts that were given back before they started: the current master claims them again. */
    private static List<JournalEvent> withoutGivenBack(List<JournalEvent> some) {
        Set<Key> givenBack = new HashSet<>();
        Deque<JournalEvent> left = new ArrayDeque<>();
        for (int at = some.size() - 1; at >= 0; at--) {
            JournalEvent event = some.get(at);
            if (event instanceof ReturnEvent) {
                givenBack.add(Key.of(event));
            } else if (!givenBack.contains(Key.of(event))) {
                left.addFirst(event);
            }
        }
        return List.copyOf(left);
    }

    /** Splits into chunks of consecutive events of one kind and epoch, with each slot once. */
    private static List<List<JournalEvent>> chunks(List<JournalEvent> some) {
        List<List<JournalEvent>> chunks = new ArrayList<>();
        List<JournalEvent> chunk = new ArrayList<>();
        Set<Slot> slots = new HashSet<>();
        for (JournalEvent event : some) {
            boolean fits = chunk.isEmpty()
                    || chunk.size() < LostCommitReplay.AT_ONCE
                            && chunk.get(0).getClass() == event.getClass()
                            && chunk.get(0).epoch().equals(event.epoch())
                            && !slots.contains(event.slot());
            if (!fits) {
                chunks.add(chunk);
                chunk = new ArrayList<>();
                slots.clear();
            }
            chunk.add(event);
            slots.add(event.slot());
        }
        if (!chunk.isEmpty()) {
            chunks.add(chunk);
        }
        return chunks;
    }

    /** An event of an attempt that the database has confirmed. */
    sealed interface JournalEvent {
        Epoch epoch();

        Slot slot();

        int attempt();

        /**
         * The attempt belongs to this node.
         *
         * @param atMillis when this node got the attempt, by the database's clock
         */
        record ClaimEvent(Epoch epoch, Attempt of, long atMillis) implements JournalEvent {
            @Override
            public Slot slot() {
                return of.slot();
            }

            @Override
            public int attempt() {
                return of.attempt();
            }
        }

        /** The outcome of the attempt was recorded. */
        record OutcomeEvent(Completion completion) implements JournalEvent {
            @Override
            public Epoch epoch() {
                return completion.epoch();
            }

            @Override
            public Slot slot() {
                return completion.slot();
            }

            @Override
            public int attempt() {
                return completion.attempt();
            }
        }

        /**
         * The attempt was given back before it started, or its work was committed together with its outcome, so that
         * both are lost together.
         */
        record ReturnEvent(Epoch epoch, Slot slot, int attempt) implements JournalEvent {}
    }
}
