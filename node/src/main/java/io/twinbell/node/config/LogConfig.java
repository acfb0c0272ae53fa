package io.twinbell.node.config;

import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Optional;
import org.slf4j.event.Level;

/**
 * The daemon's logging configuration.
 *
 * @param level of Twinbell's own loggers; libraries log less
 * @param directory null for standard output
 * @param fileMegabytes the size at which the next file begins; each day also begins a file
 * @param totalMegabytes the maximum total size of the closed files; the oldest are deleted first
 * @param days how long a closed file is kept
 */
public record LogConfig(Format format, Level level, Path directory, int fileMegabytes, int totalMegabytes, int days) {
    /** Returns why the log cannot be written to the directory; empty if it can, or if it goes to standard output. */
    public Optional<String> obstacle() {
        if (directory == null) {
            return Optional.empty();
        }
        Path at = directory.toAbsolutePath();
        while (!Files.exists(at, LinkOption.NOFOLLOW_LINKS) && at.getParent() != null) {
            at = at.getParent();
        }
        if (!Files.isDirectory(at)) {
            return Optional.of(at
                    + (Files.isSymbolicLink(at)
                            ? " is a link that does not lead to a directory"
                            : " is not a directory"));
        }
        return Files.isWritable(at) ? Optional.empty() : Optional.of("this user may not write to " + at);
    }

    /** Text lines for people, or one JSON object per line. */
    public enum Format {
        TEXT,
        JSON
    }
}
