package io.twinbell.node.pair.view;

/** The version of this build, read from its jar. */
public final class Version {
    public static final String CURRENT = read();

    private Version() {}

    private static String read() {
        String version = Version.class.getPackage().getImplementationVersion();
        return version == null ? "development" : version;
    }
}
