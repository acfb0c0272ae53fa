package io.twinbell.node.api.server;

import java.util.concurrent.atomic.AtomicLong;

/** A bound on the memory that all requests under way may take together. */
public final class ByteBudget {
    private final long limit;
    private final AtomicLong taken = new AtomicLong();

    public ByteBudget(long limit) {
        this.limit = limit;
    }

    /** Takes the bytes, or none of them if they are not left. */
    public boolean tryTake(long bytes) {
        long now = taken.addAndGet(bytes);
        if (now <= limit) {
            return true;
        }
        taken.addAndGet(-bytes);
        return false;
    }

    /** Gives bytes back that were taken before. */
    public void giveBack(long bytes) {
        taken.addAndGet(-bytes);
    }

    long taken() {
        return taken.get();
    }
}
