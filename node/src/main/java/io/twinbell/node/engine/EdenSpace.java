package io.twinbell.node.engine;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryUsage;
import java.util.Set;

/**
 * The part of this process's memory that new objects are made in. A collection begins when it is full, whenever that is,
 * and nobody can ask for one; so whoever wants one now has to fill it.
 */
final class EdenSpace {
    private static final Set<String> NAMES = Set.of("Eden Space", "PS Eden Space");
    private static final int PIECE = 64 << 10;

    private static final int PIECES_AT_ONCE = 16;
    /** Takes five milliseconds. */
    private static final long MOST_FILLED = 32 << 20;

    private final MemoryPoolMXBean eden;
    /** So that no compiler finds out that the pieces are of no use. */
    private volatile byte[] latest;

    private EdenSpace(MemoryPoolMXBean eden) {
        this.eden = eden;
    }

    /** That of the serial and the parallel collector: others decide by themselves how much of theirs they fill. */
    static EdenSpace ofThisProcess() {
        for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
            if (NAMES.contains(pool.getName())) {
                return new EdenSpace(pool);
            }
        }
        return new EdenSpace(null);
    }

    /**
     * Has it collected now, if it would be full before so much has been made. Not if that is most of it, since a collection
     * that must come may as well come later; and not if that takes long.
     *
     * @return whether it was collected
     */
    boolean makeRoom(long bytes) {
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
