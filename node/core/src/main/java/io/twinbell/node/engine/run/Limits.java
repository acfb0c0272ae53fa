package io.twinbell.node.engine.run;

import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.ledger.record.LedgerWait;
import io.twinbell.persistence.limit.LimitKey;
import io.twinbell.persistence.limit.RunLimit;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Enforces concurrency and rate limits on runs. The master counts in memory: a slot counts from its claim until its
 * outcome is durable. Nothing is counted while no limit is set. Any thread.
 */
public final class Limits {
    private final Map<String, LimitUse> uses = new HashMap<>();
    /** The slots that count, with all their keys: any key may get a limit later. */
    private final Map<Slot, Entry> entered = new HashMap<>();

    /** Keys that rows in the ledger wait for, as far as this process knows. */
    private final Set<String> awaited = new HashSet<>();

    private final FireQuota quota;

    private volatile boolean isHandlerLacking;

    private volatile boolean inUse;

    /**
     * One admission of a slot. It needs its own identity, because its start may count for longer than its run takes.
     */
    private static final class Entry {
        private final List<String> keys;
        /** Null unless it counts for a quota. */
        private FireQuota.Start start;

        Entry(List<String> keys) {
            this.keys = keys;
        }
    }

    /** The configuration and current use of a limit. */
    private static final class LimitUse {
        private int maxRunning = RunLimit.UNLIMITED;
        private RateWindow window;
        private int here;
        private int elsewhere;
        /**
         * Until this time nothing may start under the limit: starts of another master may count, and are not known yet.
         */
        private long closedUntilMillis = Long.MIN_VALUE;

        int room(long atMillis) {
            int running = Math.max(0, maxRunning - here - elsewhere);
            if (window == null) {
                return running;
            }
            return atMillis < closedUntilMillis ? 0 : Math.min(running, window.room(atMillis));
        }

        /** When the rate has room; {@link Long#MAX_VALUE} if no rate blocks. */
        long nextMillis(long nowMillis) {
            if (window == null) {
                return Long.MAX_VALUE;
            }
            long next = nowMillis < closedUntilMillis ? closedUntilMillis : window.nextMillis(nowMillis);
            return next == Long.MIN_VALUE ? Long.MAX_VALUE : next;
        }
    }

    /** @param firesPerMinute how many executions of an app may start in a minute; 0 for any number */
    Limits(int firesPerMinute) {
        quota = new FireQuota(firesPerMinute);
        inUse = quota.isSet();
    }

    /** Whether any limit or quota is set. */
    public boolean inUse() {
        return inUse;
    }

    /**
     * Replaces the limits.
     *
     * @param running returns the current runs, with their keys; called while none can leave
     */
    public synchronized void set(Collection<RunLimit> limits, Supplier<Map<Slot, List<String>>> running) {
        Map<String, LimitUse> before = Map.copyOf(uses);
        uses.clear();
        for (RunLimit limit : limits) {
            LimitUse use = before.getOrDefault(limit.key(), new LimitUse());
            use.maxRunning = limit.maxRunning();
            use.window = window(use.window, limit.rate());
            use.here = 0;
            uses.put(limit.key(), use);
        }
        inUse = quota.isSet() || !uses.isEmpty();
        if (!inUse) {
            entered.clear();
            return;
        }
        running.get().forEach((slot, keys) -> entered.putIfAbsent(slot, new Entry(keys)));
        entered.values().forEach(entry -> count(entry.keys, 1));
    }

    private static RateWindow window(RateWindow before, RunLimit.Rate rate) {
        if (rate == null) {
            return null;
        }
        if (before == null) {
            return new RateWindow(rate);
        }
        return before.rate().equals(rate) ? before : before.with(rate);
    }

    private void count(List<String> keys, int by) {
        for (String key : keys) {
            LimitUse use = uses.get(key);
            if (use != null) {
                use.here += by;
            }
        }
    }

    /**
     * Begins a new epoch. The starts of earlier epochs are in the ledger. Until they are read, nothing starts under a
     * rate limit, for at most the time that such a start may count. Quotas count anew: they protect other apps, and
     * must not delay a failover.
     */
    public synchronized void begin(long nowMillis) {
        awaited.clear();
        quota.clear();
        for (LimitUse use : uses.values()) {
            if (use.window != null) {
                use.window = new RateWindow(use.window.rate());
                use.closedUntilMillis = nowMillis + use.window.rate().per().toMillis();
            }
        }
    }

    /** The keys whose latest starts must be read, each with the length of time to read; empty if there are none. */
    public synchronized Map<String, Duration> historyWanted(long nowMillis) {
        Map<String, Duration> wanted = new HashMap<>();
        uses.forEach((key, use) -> {
            if (use.window != null && nowMillis < use.closedUntilMillis) {
                wanted.put(key, use.window.rate().per());
            }
        });
        return wanted;
    }

    /** Adds the start times that were read, by key. */
    public synchronized void addStarts(Set<String> asked, Map<String, List<Long>> started) {
        for (String key : asked) {
            LimitUse use = uses.get(key);
            if (use != null && use.window != null) {
                use.window.addStarts(started.getOrDefault(key, List.of()));
                use.closedUntilMillis = Long.MIN_VALUE;
            }
        }
    }

    /** How many apps may start nothing now, because they have used their quota. */
    public synchronized int appsAtQuota(long nowMillis) {
        return quota.full(nowMillis);
    }

    /** Sets how many unfinished runs of other epochs there are for each key. */
    public synchronized void setElsewhere(Map<String, Integer> running) {
        uses.forEach((key, use) -> use.elsewhere = running.getOrDefault(key, 0));
    }

    public synchronized boolean isAnyElsewhere() {
        return uses.values().stream().anyMatch(use -> use.elsewhere > 0);
    }

    /** The limited keys. */
    public synchronized Set<String> keys() {
        return Set.copyOf(uses.keySet());
    }

    /**
     * Counts the slot if there is room under all of its keys.
     *
     * @param atMillis when it is to start
     * @return the key that has no room, or {@link LedgerWait#quota}; null if the slot may run
     */
    public synchronized String enter(Slot slot, List<String> keys, long atMillis) {
        if (!inUse || entered.containsKey(slot)) {
            return null;
        }
        for (String key : keys) {
            LimitUse use = uses.get(key);
            if (use != null && use.room(atMillis) == 0) {
                return key;
            }
        }
        Entry entry = new Entry(keys);
        if (quota.isSet()) {
            String app = LimitKey.appOf(keys);
            if (quota.room(app, atMillis) == 0) {
                return LedgerWait.quota(app);
            }
            entry.start = quota.add(app, atMillis);
        }
        windows(keys).forEach(window -> window.add(entry, atMillis));
        count(keys, 1);
        entered.put(slot, entry);
        return null;
    }

    private Stream<RateWindow> windows(List<String> keys) {
        return keys.stream()
                .map(uses::get)
                .filter(use -> use != null && use.window != null)
                .map(use -> use.window);
    }

    /** Notes that the slot's handler starts now: it may have waited for a worker since it was admitted. */
    public void started(Slot slot, long nowMillis) {
        if (inUse) {
            startedUnderLimits(slot, nowMillis);
        }
    }

    private synchronized void startedUnderLimits(Slot slot, long nowMillis) {
        Entry entry = entered.get(slot);
        if (entry != null) {
            windows(entry.keys).forEach(window -> window.started(entry, nowMillis));
        }
    }

    /**
     * Stops counting the slot.
     *
     * @param hasStarted if not, it does not count as a start either
     */
    public synchronized void leave(Slot slot, boolean hasStarted) {
        Entry entry = entered.remove(slot);
        if (entry == null) {
            return;
        }
        count(entry.keys, -1);
        if (!hasStarted) {
            windows(entry.keys).forEach(window -> window.takeBack(entry));
            if (entry.start != null) {
                entry.start.takeBack();
            }
        }
    }

    /**
     * Removes the run and stops counting its slot, atomically: a thread that sets limits or admits the slot's next
     * attempt sees both changes or neither.
     *
     * @param remove removes the run; returns whether this process still held the run. If not, another attempt of the
     *     slot has taken its place and still counts
     * @return the result of {@code remove}
     */
    synchronized boolean leave(Slot slot, boolean hasStarted, BooleanSupplier remove) {
        boolean wasHeld = remove.getAsBoolean();
        if (wasHeld) {
            leave(slot, hasStarted);
        }
        return wasHeld;
    }

    /** How many more may run under the key; any number if it has no limit. */
    public synchronized int room(String key, long nowMillis) {
        if (LedgerWait.isQuota(key)) {
            return quota.room(LedgerWait.app(key), nowMillis);
        }
        LimitUse use = uses.get(key);
        return use == null ? Integer.MAX_VALUE : use.room(nowMillis);
    }

    /** When a rate limit will have room for one more start under the key; {@link Long#MAX_VALUE} if no rate blocks. */
    public synchronized long nextMillis(String key, long nowMillis) {
        if (LedgerWait.isQuota(key)) {
            long next = quota.nextMillis(LedgerWait.app(key), nowMillis);
            return next == Long.MIN_VALUE ? Long.MAX_VALUE : next;
        }
        LimitUse use = uses.get(key);
        return use == null ? Long.MAX_VALUE : use.nextMillis(nowMillis);
    }

    /** Notes that a row waits in the ledger for the key. Rows that lack a handler are checked periodically. */
    public void noteWaiting(String key) {
        if (LedgerWait.isLackingHandler(key)) {
            isHandlerLacking = true;
        } else {
            awaitedInLedger(key);
        }
    }

    /** Whether rows wait in the ledger for a handler that this node lacks. */
    public boolean isHandlerLacking() {
        return isHandlerLacking;
    }

    /** Records the keys that rows wait for. Returns those that stand for a missing handler and not for a limit. */
    public List<String> noteWaiting(Set<String> keys) {
        List<String> lacking =
                keys.stream().filter(LedgerWait::isLackingHandler).toList();
        isHandlerLacking = !lacking.isEmpty();
        keys.stream().filter(key -> !LedgerWait.isLackingHandler(key)).forEach(this::awaitedInLedger);
        return lacking;
    }

    /** Notes that a row waits in the ledger for the limit. */
    public synchronized void awaitedInLedger(String key) {
        awaited.add(key);
    }

    /** Takes a key that rows wait for and that has room, and stops awaiting it; null if there is none. */
    public synchronized String takeAwaited(long nowMillis) {
        for (String key : awaited) {
            if (room(key, nowMillis) > 0) {
                awaited.remove(key);
                return key;
            }
        }
        return null;
    }

    /** When a rate limit will have room for a row in the ledger; {@link Long#MAX_VALUE} if no rate blocks. */
    public synchronized long nextAwaitedMillis(long nowMillis) {
        return awaited.stream()
                .mapToLong(key -> nextMillis(key, nowMillis))
                .min()
                .orElse(Long.MAX_VALUE);
    }
}
