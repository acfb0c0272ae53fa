package io.twinbell.node.config;

import java.nio.file.Path;
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
    /** Lines for people, or a JSON object a line. */
    public enum Format {
        TEXT,
        JSON
    }
}
