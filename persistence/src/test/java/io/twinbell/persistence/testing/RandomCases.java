package io.twinbell.persistence.testing;

/**
 * How random tests draw. The default build draws the same few cases each time, so that it fails for a change only.
 * {@code -Pthorough} draws many from a new seed. {@code -Dtwinbell.test.seed=S} replays a run of the same profile.
 */
public final class RandomCases {
    private static final boolean IS_THOROUGH = Boolean.getBoolean("twinbell.test.thorough");
    private static final long USUAL_SEED = 20_261_121L;

    private RandomCases() {}

    public static boolean areMany() {
        return IS_THOROUGH;
    }

    public static int count(int inEachBuild, int ifThorough) {
        return IS_THOROUGH ? ifThorough : inEachBuild;
    }

    /** The seed of the test, which is printed. */
    public static long seed(Class<?> test) {
        long seed = Long.getLong("twinbell.test.seed", IS_THOROUGH ? System.nanoTime() : USUAL_SEED);
        System.out.println(test.getSimpleName() + ": -Dtwinbell.test.seed=" + seed);
        return seed;
    }
}
