package io.twinbell.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The project on the page about plain Java, built from an empty folder and run as a pair whose master is killed. */
@Timeout(600)
class PlainJavaPageTest {
    private static final long PATIENCE_SECONDS = 120;

    @TempDir
    private Path folder;

    @Test
    void the_program_on_the_page_continues_in_the_other_process() throws Exception {
        PageProject project = new PageProject("PLAIN-JAVA.md", folder);
        assertEquals(List.of("pom.xml", "src/main/java/shop/Billing.java"), project.names());
        PageProject.Build build = project.build("package");
        assertEquals(0, build.exitCode(), build::output);
        try (EmbeddedPostgres database = EmbeddedPostgres.start();
                TestingServer zooKeeper = new TestingServer();
                Instance a = new Instance("a", database, zooKeeper)) {
            a.await("a is ready");
            a.await("a polls");
            try (Instance b = new Instance("b", database, zooKeeper)) {
                b.await("b is ready");
                a.await("a closes invoice 4711");
                a.process.destroyForcibly().waitFor();
                b.await("b polls");
                assertTrue(b.process.isAlive());
            }
        }
    }

    /** One process of the program, with the lines that it prints. */
    private final class Instance implements AutoCloseable {
        private final Process process;
        private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

        Instance(String id, EmbeddedPostgres database, TestingServer zooKeeper) throws IOException {
            String classPath = "target/classes" + File.pathSeparator + "target/dependency/*";
            ProcessBuilder program = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-cp",
                            classPath,
                            "shop.Billing",
                            id,
                            "0")
                    .directory(folder.toFile())
                    .redirectErrorStream(true);
            program.environment().put("DATABASE_URL", database.getJdbcUrl("postgres", "postgres"));
            program.environment().put("DATABASE_USER", "postgres");
            program.environment().put("DATABASE_PASSWORD", "postgres");
            program.environment().put("ZOOKEEPER", zooKeeper.getConnectString());
            process = program.start();
            Thread reader = new Thread(() -> process.inputReader().lines().forEach(lines::add), "output of " + id);
            reader.setDaemon(true);
            reader.start();
        }

        void await(String expected) throws InterruptedException {
            StringBuilder seen = new StringBuilder();
            for (String line = next(); !line.equals(expected); line = next()) {
                seen.append(line).append('\n');
                assertTrue(seen.length() < 1_000_000, seen::toString);
            }
        }

        private String next() throws InterruptedException {
            String line = lines.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
            assertTrue(line != null, "the process prints nothing more");
            return line;
        }

        @Override
        public void close() {
            process.destroyForcibly().onExit().join();
        }
    }
}
