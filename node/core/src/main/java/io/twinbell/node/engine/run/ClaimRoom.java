package io.twinbell.node.engine.run;

/**
 * How many due slots may be claimed now.
 *
 * @param soon how many runs could start soon, of any app
 * @param all how many more runs this process can hold
 * @param mostOfApp how many runs one app may hold; the rest is reserved for others
 * @param leastOfApp how many runs each app may hold even if no more could start soon
 */
public record ClaimRoom(int soon, int all, int mostOfApp, int leastOfApp) {
    public ClaimRoom less(int runs) {
        return new ClaimRoom(soon - runs, all - runs, mostOfApp, leastOfApp);
    }

    public ClaimRoom atMost(int runs) {
        return new ClaimRoom(Math.min(soon, runs), Math.min(all, runs), mostOfApp, leastOfApp);
    }

    public boolean isNone() {
        return all == 0 || soon == 0 && leastOfApp == 0;
    }
}
