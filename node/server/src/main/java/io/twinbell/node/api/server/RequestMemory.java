package io.twinbell.node.api.server;

/** The share of one request in the memory budgets of all requests; returned when the request ends. */
public final class RequestMemory {
    /** The attribute that holds it; every request with a body has one. */
    public static final String ATTRIBUTE = RequestMemory.class.getName();

    /** For a request without a body, which takes negligible memory. */
    public static final RequestMemory NONE = new RequestMemory(new ByteBudget(Long.MAX_VALUE), new ByteBudget(0), 0);

    private final ByteBudget first;
    private final ByteBudget rest;
    private final int each;
    private long fromFirst;
    private long fromRest;

    /**
     * @param each how many bytes of every request count for {@code first}. The rest of a large request counts for
     *     {@code rest}, so that large requests leave memory for ordinary ones
     */
    RequestMemory(ByteBudget first, ByteBudget rest, int each) {
        this.first = first;
        this.rest = rest;
        this.each = each;
    }

    /** Takes the bytes; takes none and returns false if fewer are left. */
    public synchronized boolean tryTake(long bytes) {
        if (this == NONE) {
            return true;
        }
        boolean isFirst = fromFirst + bytes <= each;
        if (!(isFirst ? first : rest).tryTake(bytes)) {
            return false;
        }
        fromFirst += isFirst ? bytes : 0;
        fromRest += isFirst ? 0 : bytes;
        return true;
    }

    synchronized void giveBack() {
        first.giveBack(fromFirst);
        rest.giveBack(fromRest);
        fromFirst = 0;
        fromRest = 0;
    }
}
