package io.twinbell.node.api.server;

/** What one request under way takes of the memory that all of them share; given back when it has been carried out. */
public final class RequestMemory {
    /** The attribute of a request that has one: every request with a body. */
    public static final String ATTRIBUTE = RequestMemory.class.getName();

    /** Of a request without a body, which takes no memory worth counting. */
    public static final RequestMemory NONE = new RequestMemory(new ByteBudget(Long.MAX_VALUE), new ByteBudget(0), 0);

    private final ByteBudget first;
    private final ByteBudget rest;
    private final int each;
    private long fromFirst;
    private long fromRest;

    /** @param each how much of every request comes out of {@code first}, so that large ones leave room for ordinary ones */
    RequestMemory(ByteBudget first, ByteBudget rest, int each) {
        this.first = first;
        this.rest = rest;
        this.each = each;
    }

    /** Takes the bytes, or none of them if they are not left. */
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
