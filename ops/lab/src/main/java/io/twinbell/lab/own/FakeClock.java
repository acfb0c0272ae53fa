package io.twinbell.lab.own;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The wall clock of one process, set through libfaketime while the process runs. Its monotonic clock is not changed.
 */
public final class FakeClock {
    private static final String LIBRARY = "libfaketime.so.1";
    private static final List<Path> PLACES = List.of(
            Path.of("/usr/lib/x86_64-linux-gnu/faketime"),
            Path.of("/usr/lib/aarch64-linux-gnu/faketime"),
            Path.of("/usr/lib64/faketime"),
            Path.of("/usr/lib/faketime"),
            Path.of("/usr/local/lib/faketime"));

    private final Path file;

    FakeClock(Path file) throws IOException {
        this.file = file;
        set(Duration.ZERO);
    }

    public static Optional<Path> library() {
        return PLACES.stream()
                .map(place -> place.resolve(LIBRARY))
                .filter(Files::isReadable)
                .findFirst();
    }

    /** Sets the clock ahead of the machine's, or behind if negative. The process sees it within a second. */
    public void set(Duration ahead) throws IOException {
        Path draft = file.resolveSibling(file.getFileName() + ".draft");
        Files.writeString(draft, String.format(Locale.ROOT, "%+d", ahead.toSeconds()));
        Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    /** The command prefix that runs a command by this clock. */
    List<String> words() {
        return Stream.of(
                        "env",
                        "LD_PRELOAD=" + library().orElseThrow(),
                        "FAKETIME_TIMESTAMP_FILE=" + file,
                        "FAKETIME_CACHE_DURATION=1",
                        "FAKETIME_DISABLE_SHM=1",
                        // With the fix, every timed wait of a JVM returns at once, and its threads spin.
                        "FAKETIME_FORCE_MONOTONIC_FIX=0",
                        "DONT_FAKE_MONOTONIC=1",
                        "FAKETIME_DONT_FAKE_MONOTONIC=1")
                .toList();
    }
}
