package io.twinbell.node.simulation;

/** The delays and faults that calls to the database meet, drawn for each call. */
final class Weather {
    private static final Call PLAIN = new Call(0, 0, 0, -1, false);

    private double trouble;
    private double loss;
    private double longScans = 0.3;

    /**
     * What happens to one call, in nanoseconds.
     *
     * @param lockedNanos how long it holds its locks before it commits
     * @param breaksNanos when the connection breaks for the client; -1 if it does not
     * @param isCarriedOutAllTheSame whether the server still executes it after that
     */
    record Call(long beforeNanos, long lockedNanos, long afterNanos, long breaksNanos, boolean isCarriedOutAllTheSame) {
        /** The same call on a connection that was stalled for so long. */
        Call after(long nanos) {
            return nanos == 0
                    ? this
                    : new Call(
                            beforeNanos + nanos,
                            lockedNanos,
                            afterNanos,
                            breaksNanos < 0 ? -1 : breaksNanos + nanos,
                            isCarriedOutAllTheSame);
        }

        boolean isPlain() {
            return equals(PLAIN);
        }

        @Override
        public String toString() {
            return breaksNanos < 0
                    ? "slow " + millis(beforeNanos) + "/" + millis(lockedNanos) + "/" + millis(afterNanos)
                    : "breaks after " + millis(breaksNanos)
                            + (isCarriedOutAllTheSame
                                    ? " carried out in " + millis(beforeNanos) + "/" + millis(lockedNanos)
                                    : " and is lost");
        }

        private static String millis(long nanos) {
            return nanos / 1000 / 1000.0 + "ms";
        }
    }

    /**
     * Sets the shares from now on.
     *
     * @param shareSlow the share of calls that are slow
     * @param shareLost the share of calls that lose their connection
     */
    void is(double shareSlow, double shareLost) {
        trouble = shareSlow;
        loss = shareLost;
    }

    /** Sets the share of the heap's pages that arrive slowly, row after row. */
    void longScans(double share) {
        longScans = share;
    }

    boolean isScanLong(World world) {
        return world.chance(longScans);
    }

    Call next(World world) {
        double luck = world.random.nextDouble();
        if (luck >= trouble + loss) {
            return PLAIN;
        }
        if (luck < loss) {
            boolean goesOn = world.chance(0.6);
            return new Call(delay(world, 400), world.chance(0.5) ? delay(world, 400) : 0, 0, delay(world, 100), goesOn);
        }
        long most = world.isRough() && world.chance(0.08) ? 700 : 5;
        return new Call(delay(world, most), world.chance(0.3) ? delay(world, most) : 0, delay(world, most), -1, false);
    }

    private static long delay(World world, long mostMillis) {
        return world.chance(0.4) ? 0 : world.between(0, mostMillis * World.MILLI);
    }
}
