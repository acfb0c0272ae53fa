package io.twinbell.test;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.curator.test.TestingServer;

/** A process of a program from a page, built into {@code target}, with the lines that it prints. */
final class PageProgram implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 120;

    private final Process process;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

    PageProgram(Path folder, EmbeddedPostgres database, TestingServer zooKeeper, String... mainClassAndArguments)
            throws IOException {
        this(
                folder,
                Map.of(
                        "DATABASE_URL",
                        database.getJdbcUrl("postgres", "postgres"),
                        "DATABASE_USER",
                        "postgres",
                        "DATABASE_PASSWORD",
                        "postgres",
                        "ZOOKEEPER",
                        zooKeeper.getConnectString()),
                Stream.concat(
                                Stream.of("-cp", "target/classes" + File.pathSeparator + "target/dependency/*"),
                                Stream.of(mainClassAndArguments))
                        .toList());
    }

    /** @param arguments of {@code java} */
    PageProgram(Path folder, Map<String, String> environment, List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(arguments);
        ProcessBuilder program =
                new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
        program.environment().putAll(environment);
        process = program.start();
        Thread reader = new Thread(() -> process.inputReader().lines().forEach(lines::add), "output of " + arguments);
        reader.setDaemon(true);
        reader.start();
    }

    /** What it has printed since the last line that was awaited. */
    String output() {
        return String.join("\n", lines);
    }

    /** Waits for a line, and drops those before it. */
    void await(String expected) throws InterruptedException {
        StringBuilder seen = new StringBuilder();
        for (String line = next(seen); !line.equals(expected); line = next(seen)) {
            seen.append(line).append('\n');
            assertTrue(seen.length() < 1_000_000, seen::toString);
        }
    }

    private String next(StringBuilder seen) throws InterruptedException {
        String line = lines.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertTrue(line != null, () -> "the process prints nothing more after\n" + seen);
        return line;
    }

    boolean isAlive() {
        return process.isAlive();
    }

    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** Sends SIGTERM, waits until the process has ended, and returns its exit code. */
    int terminate() throws InterruptedException {
        process.destroy();
        return process.waitFor();
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
