package io.twinbell.node.config;

import java.nio.file.Path;

/**
 * Where relative paths of a configuration begin: beside its file, and never where a node happens to be started. Of the
 * distribution's own file they begin at the directory that holds {@code bin/} and {@code conf/}, which its start script names.
 */
final class RelativePaths {
    /** Set by the scripts of the distribution: the directory, and its own file, which alone it is for. */
    private static final String HOME = "twinbell.home";

    private static final String OWN_FILE = "twinbell.config";

    private RelativePaths() {}

    /** @param file the configuration file; without one there is only the working directory */
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
