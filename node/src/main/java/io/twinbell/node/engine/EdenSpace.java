package io.twinbell.node.engine;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryUsage;
import java.util.Set;

/**
 * The memory pool in which this process allocates new objects. The JVM collects it when it is full and offers no way to
 * request a collection of this pool alone, so {@link #ensureRoom} fills it to force one.
 */
final class EdenSpace {
    private static final Set<String> NAMES = Set.of("Eden Space", "PS Eden Space");
    private static final int PIECE = 64 << 10;

    private static final int PIECES_AT_ONCE = 16;
    /** Filling this much takes five milliseconds. */
    private static final long MOST_FILLED = 32 << 20;

    private final MemoryPoolMXBean eden;
    /** Keeps the compiler from optimizing the allocations away. */
    private volatile byte[] latest;

    private EdenSpace(MemoryPoolMXBean eden) {
        this.eden = eden;
    }

    /**
     * The eden space of the serial or the parallel collector. Other collectors decide by themselves how much of theirs
     * they fill, so nothing is done for them.
     */
    static EdenSpace ofThisProcess() {
        for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
            if (NAMES.contains(pool.getName())) {
                return new EdenSpace(pool);
            }
        }
        return new EdenSpace(null);
    }

    /**
     * Forces a collection now if the pool would be full before the given number of bytes is allocated. It does nothing
     * if that number is more than half of the pool, since a collection during the burst is then inevitable, or if
     * filling the free part would take long.
     *
     * @return whether the pool was collected
     */
    boolean ensureRoom(long bytes) {
        if (eden == null) {
            return false;
        }
        MemoryUsage before = eden.getUsage();
        long free = before.getCommitted() - before.getUsed();
        boolean isWorthIt = free < bytes && bytes <= before.getCommitted() / 2 && free <= MOST_FILLED;
        return isWorthIt && fill(before.getUsed(), free);
    }

    private boolean fill(long usedBefore, long free) {
        long used = usedBefore;
        for (long filled = 0; filled <= free; filled += (long) PIECE * PIECES_AT_ONCE) {
            for (int i = 0; i < PIECES_AT_ONCE; i++) {
                latest = new byte[PIECE];
            }
            long usedNow = eden.getUsage().getUsed();
            if (usedNow < used) {
                break;
            }
            used = usedNow;
        }
        latest = null;
        return eden.getUsage().getUsed() < used;
    }
}
