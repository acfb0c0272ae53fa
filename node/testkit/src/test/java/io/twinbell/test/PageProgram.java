package io.twinbell.test;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.curator.test.TestingServer;

/** A process of a program from a page, built into {@code target}, with the lines that it prints. */
final class PageProgram implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 120;

    private final Process process;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

    PageProgram(Path folder, EmbeddedPostgres database, TestingServer zooKeeper, String... mainClassAndArguments)
            throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                "target/classes" + File.pathSeparator + "target/dependency/*"));
        command.addAll(List.of(mainClassAndArguments));
        ProcessBuilder program =
                new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
        program.environment().put("DATABASE_URL", database.getJdbcUrl("postgres", "postgres"));
        program.environment().put("DATABASE_USER", "postgres");
        program.environment().put("DATABASE_PASSWORD", "postgres");
        program.environment().put("ZOOKEEPER", zooKeeper.getConnectString());
        process = program.start();
        Thread reader = new Thread(
                () -> process.inputReader().lines().forEach(lines::add), "output of " + mainClassAndArguments[0]);
        reader.setDaemon(true);
        reader.start();
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

    /** Sends SIGTERM, and waits until the process has ended. */
    void terminate() throws InterruptedException {
        process.destroy();
        process.waitFor();
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
