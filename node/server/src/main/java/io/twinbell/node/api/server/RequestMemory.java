package io.twinbell.node.api.server;

import java.util.concurrent.atomic.AtomicLong;

/** The share of one request in the memory budgets of all requests; returned when the request ends. */
public final class RequestMemory {
    /** The attribute that holds it; every request with a body has one. */
    public static final String ATTRIBUTE = RequestMemory.class.getName();

    /** For a request without a body, which takes negligible memory. */
    public static final RequestMemory NONE =
            new RequestMemory(new Budgets(new ByteBudget(Long.MAX_VALUE), new ByteBudget(0), 0));

    private final Budgets budgets;
    private long fromFirst;
    private long fromRest;

    /**
     * The memory budgets for bodies.
     *
     * @param each how many bytes of every body count for {@code first}. The rest of a large body counts for {@code
     *     rest}, so that large bodies leave memory for ordinary ones
     */
    public record Budgets(ByteBudget first, ByteBudget rest, int each) {}

    /** Bounds the memory that all current requests take together. */
    public static final class ByteBudget {
        private final long limit;
        private final AtomicLong taken = new AtomicLong();

        public ByteBudget(long limit) {
            this.limit = limit;
        }

        /** Takes the bytes; takes none and returns false if fewer are left. */
        private boolean tryTake(long bytes) {
            if (taken.addAndGet(bytes) <= limit) {
                return true;
            }
            taken.addAndGet(-bytes);
            return false;
        }
    }

    RequestMemory(Budgets budgets) {
        this.budgets = budgets;
    }

    /** Takes the bytes; takes none and returns false if fewer are left. */
    public synchronized boolean tryTake(long bytes) {
        if (this == NONE) {
            return true;
        }
        boolean isFirst = fromFirst + bytes <= budgets.each();
        if (!(isFirst ? budgets.first() : budgets.rest()).tryTake(bytes)) {
            return false;
        }
        fromFirst += isFirst ? bytes : 0;
        fromRest += isFirst ? 0 : bytes;
        return true;
    }

    synchronized void giveBack() {
        budgets.first().taken.addAndGet(-fromFirst);
        budgets.rest().taken.addAndGet(-fromRest);
        fromFirst = 0;
        fromRest = 0;
    }
}
