package io.twinbell.node.pair;

/** This build's version, as its jar says. */
public final class Version {
    public static final String CURRENT = read();

    private Version() {}

    private static String read() {
        String version = Version.class.getPackage().getImplementationVersion();
        return version == null ? "development" : version;
    }
}
