package io.twinbell.node.access;

import io.twinbell.node.audit.store.AuditRefusals.RefusedAttempt;
import io.twinbell.node.audit.store.AuditRefusals.RefusedAttempt.Counted;
import io.twinbell.node.json.ControlCharacters;
import io.twinbell.node.loop.Loop;
import io.twinbell.persistence.actor.Actor;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Collects refused attempts for the audit. A request only counts them in memory; a separate thread writes them. The first
 * attempt of a client is written within a second; its further attempts are counted and written as one row a minute. At most {@value #MOST_ROWS}
 * rows are written in a minute: under a flood from many addresses, one row counts the rest.
 */
public final class Refusals {
    static final int MOST_ROWS = 60;
    private static final Duration WINDOW = Duration.ofMinutes(1);
    private static final long BETWEEN_STEPS = Duration.ofSeconds(1).toNanos();
    private static final long AFTER_FAILURE = Duration.ofSeconds(10).toNanos();
    private static final int LONGEST = 300;
    /**
     * The maximum number of rows for one address in a minute. So a client that tries many user names leaves rows for
     * other addresses.
     */
    private static final int MOST_OF_ADDRESS = 10;

    private static final Pattern LONE_SURROGATE = Pattern.compile("[\\ud800-\\udfff]");
    private static final String OTHER_CLIENTS = "other clients";
    private static final RefusedAttempt OTHERS = new RefusedAttempt(
            new Actor(OTHER_CLIENTS, Actor.Channel.HTTP, null, null),
            RefusedAttempt.SIGN_IN,
            "more clients than the audit lists in a minute");

    private final Consumer<List<Counted>> audit;
    private final Ticker ticker;
    private final Map<Kind, Counted> waiting = new LinkedHashMap<>();
    private final Set<Kind> writtenInWindow = new HashSet<>();
    private long others;
    private long total;
    private long windowNanos;
    private int rowsInWindow;

    /**
     * Attempts that are counted together have an equal kind. The request and the reason are those of the first attempt.
     */
    private record Kind(String name, Actor.Channel channel, String address, String act) {
        static Kind of(RefusedAttempt attempt) {
            Actor client = attempt.client();
            return new Kind(client.name(), client.channel(), client.address(), attempt.act());
        }
    }

    /** @param audit enters the attempts */
    public Refusals(Consumer<List<Counted>> audit, Ticker ticker) {
        this.audit = audit;
        this.ticker = ticker;
        windowNanos = ticker.nanos();
    }

    /** Counts an attempt. Never waits for the database. */
    public void add(RefusedAttempt attempt) {
        add(new Counted(shown(attempt), 1));
    }

    /** Counts attempts that were made in one request. */
    public void add(RefusedAttempt attempt, long items) {
        add(new Counted(shown(attempt), items));
    }

    private synchronized void add(Counted attempts) {
        total += attempts.items();
        keep(attempts);
    }

    /** Adds the attempts to those that wait to be written. */
    private void keep(Counted attempts) {
        Kind kind = Kind.of(attempts.first());
        Counted before = waiting.get(kind);
        if (before != null) {
            waiting.put(kind, new Counted(before.first(), before.items() + attempts.items()));
        } else if (waiting.size() >= MOST_ROWS - 1) {
            others += attempts.items();
        } else if (isOneOfMany(kind)) {
            keep(new Counted(withoutName(attempts.first()), attempts.items()));
        } else {
            waiting.put(kind, attempts);
        }
    }

    private boolean isOneOfMany(Kind kind) {
        return !kind.name().equals(OTHER_CLIENTS)
                && !writtenInWindow.contains(kind)
                && Stream.concat(waiting.keySet().stream(), writtenInWindow.stream())
                                .distinct()
                                .filter(other -> Objects.equals(other.address(), kind.address()))
                                .count()
                        >= MOST_OF_ADDRESS;
    }

    private static RefusedAttempt withoutName(RefusedAttempt attempt) {
        Actor client = attempt.client();
        return new RefusedAttempt(
                new Actor(OTHER_CLIENTS, client.channel(), client.address(), null), attempt.act(), attempt.detail());
    }

    private static RefusedAttempt shown(RefusedAttempt attempt) {
        Actor client = attempt.client();
        return new RefusedAttempt(
                new Actor(shown(client.name()), client.channel(), client.address(), shown(client.request())),
                attempt.act(),
                shown(attempt.detail()));
    }

    /**
     * Makes text storable: a client chooses its name and its request, and the database stores neither NUL nor half of a
     * surrogate pair.
     */
    private static String shown(String text) {
        if (text == null) {
            return null;
        }
        String line = ControlCharacters.spaced(text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "…");
        return LONE_SURROGATE.matcher(line).replaceAll("?");
    }

    /** The refused attempts since the start. */
    public synchronized long total() {
        return total;
    }

    /** Writes what is due; returns how long to sleep, in nanoseconds. */
    public long step(Loop loop) {
        List<Counted> due = takeDue();
        if (due.isEmpty()) {
            return BETWEEN_STEPS;
        }
        try {
            audit.accept(due);
            return BETWEEN_STEPS;
        } catch (DatabaseUnavailableException e) {
            putBack(due);
            loop.failed(e);
            return AFTER_FAILURE;
        }
    }

    private synchronized void putBack(List<Counted> attempts) {
        for (Counted each : attempts) {
            writtenInWindow.remove(Kind.of(each.first()));
            if (each.first().equals(OTHERS)) {
                others += each.items();
            } else {
                keep(each);
            }
        }
        rowsInWindow -= attempts.size();
    }

    private synchronized List<Counted> takeDue() {
        List<Counted> due = new ArrayList<>();
        boolean isNewWindow = ticker.nanos() - windowNanos >= WINDOW.toNanos();
        if (isNewWindow) {
            windowNanos = ticker.nanos();
            rowsInWindow = 0;
            writtenInWindow.clear();
        }
        if (others > 0 && isNewWindow) {
            due.add(new Counted(OTHERS, others));
            others = 0;
        }
        for (Map.Entry<Kind, Counted> each : List.copyOf(waiting.entrySet())) {
            // One row is left for the others.
            if (rowsInWindow + due.size() < MOST_ROWS - 1 && writtenInWindow.add(each.getKey())) {
                due.add(each.getValue());
                waiting.remove(each.getKey());
            }
        }
        rowsInWindow += due.size();
        return due;
    }
}
