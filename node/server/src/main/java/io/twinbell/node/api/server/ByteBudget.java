package io.twinbell.node.api.server;

import java.util.concurrent.atomic.AtomicLong;

/** Bounds the memory that all current requests take together. */
public final class ByteBudget {
    private final long limit;
    private final AtomicLong taken = new AtomicLong();

    public ByteBudget(long limit) {
        this.limit = limit;
    }

    /** Takes the bytes; takes none and returns false if fewer are left. */
    public boolean tryTake(long bytes) {
        long now = taken.addAndGet(bytes);
        if (now <= limit) {
            return true;
        }
        taken.addAndGet(-bytes);
        return false;
    }

    /** Returns bytes that were taken before. */
    public void giveBack(long bytes) {
        taken.addAndGet(-bytes);
    }

    long taken() {
        return taken.get();
    }
}
