package io.twinbell.node.config;

import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Optional;
import org.slf4j.event.Level;

/**
 * What the daemon writes to its log, and where.
 *
 * @param level of Twinbell's own loggers; libraries say less
 * @param directory null for standard output
 * @param fileMegabytes how large a file grows before the next is begun, which each day is as well
 * @param totalMegabytes how much the closed files may take up together; the oldest go first
 * @param days how long a closed file is kept
 */
public record LogConfig(Format format, Level level, Path directory, int fileMegabytes, int totalMegabytes, int days) {
    /** Why the log cannot go to the directory; empty if it can, or if it goes to standard output. */
    public Optional<String> obstacle() {
        if (directory == null) {
            return Optional.empty();
        }
        Path at = directory.toAbsolutePath();
        while (!Files.exists(at, LinkOption.NOFOLLOW_LINKS) && at.getParent() != null) {
            at = at.getParent();
        }
        if (!Files.isDirectory(at)) {
            return Optional.of(at + (Files.isSymbolicLink(at) ? " is a link to no directory" : " is not a directory"));
        }
        return Files.isWritable(at) ? Optional.empty() : Optional.of("this user may not write in " + at);
    }

    /** Lines for people, or a JSON object a line. */
    public enum Format {
        TEXT,
        JSON
    }
}
