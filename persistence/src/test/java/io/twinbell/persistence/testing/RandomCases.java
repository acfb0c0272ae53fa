package io.twinbell.persistence.testing;

/** How many cases a random test tries: some in each build, and many if the build is thorough. */
public final class RandomCases {
    private static final boolean IS_THOROUGH = Boolean.getBoolean("twinbell.test.thorough");

    private RandomCases() {}

    public static boolean areMany() {
        return IS_THOROUGH;
    }

    public static int count(int inEachBuild, int ifThorough) {
        return IS_THOROUGH ? ifThorough : inEachBuild;
    }
}
