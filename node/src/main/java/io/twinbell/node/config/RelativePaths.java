package io.twinbell.node.config;

import java.nio.file.Path;

/**
 * Resolves relative paths in a configuration against the directory of its file, and never against the working
 * directory. In the distribution's own file they are relative to the directory that contains {@code bin/} and
 * {@code conf/}, which the start script names.
 */
final class RelativePaths {
    /** Set by the distribution's scripts: the directory, and the only file that it applies to. */
    private static final String HOME = "twinbell.home";

    private static final String OWN_FILE = "twinbell.config";

    private RelativePaths() {}

    /** @param file the configuration file; null for the working directory */
    static Path of(Path file) {
        if (file == null) {
            return Path.of("").toAbsolutePath();
        }
        String home = System.getProperty(HOME);
        String own = System.getProperty(OWN_FILE);
        Path absolute = file.toAbsolutePath().normalize();
        return home != null && own != null && absolute.equals(Path.of(own).normalize())
                ? Path.of(home)
                : absolute.getParent();
    }
}
