package io.twinbell.tools.devpair;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.persistence.testing.FreePort;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.ZooKeeper.States;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real servers in a real process. The tests share a directory, so that PostgreSQL is unpacked once. */
class DevServicesTest {
    private static final String PLACE = "a place with spaces";

    @TempDir
    private static Path temporary;

    private final Path run = temporary.resolve(PLACE);

    @Test
    void after_a_stop_the_data_is_kept_a_lost_password_replaced_and_a_strangers_pid_no_obstacle() throws Exception {
        String before;
        Path pidFile;
        try (ServicesProcess first = ServicesProcess.start(run);
                Connection database = first.twinbell()) {
            database.createStatement().execute("create table kept as select 42 as answer");
            before = first.password();
            pidFile = first.postmasterPid();
            first.stop();
        }
        Files.delete(run.resolve("postgres.password"));
        Files.writeString(pidFile, ProcessHandle.current().pid() + "\n");
        try (ServicesProcess second = ServicesProcess.start(run);
                Connection database = second.twinbell()) {
            assertEquals("42", first(database, "select answer from kept"));
            assertThrows(SQLException.class, () -> second.connect("twinbell", "twinbell", before));
            second.superuser().close();
        }
    }

    @Test
    void a_killed_process_takes_postgresql_with_it_the_next_start_works_and_ends_when_postgresql_has_gone()
            throws Exception {
        try (ServicesProcess killed = ServicesProcess.start(run);
                Connection database = killed.twinbell()) {
            database.createStatement().execute("create table survived as select 7 as answer");
            killed.kill();

            await().atMost(Duration.ofSeconds(5)).until(() -> Files.notExists(killed.postmasterPid()));
        }
        try (ServicesProcess next = ServicesProcess.start(run)) {
            try (Connection database = next.twinbell()) {
                assertEquals("7", first(database, "select answer from survived"));
            }
            long postmaster =
                    Long.parseLong(Files.readAllLines(next.postmasterPid()).get(0));

            ProcessHandle.of(postmaster).orElseThrow().destroy();

            assertEquals(1, next.awaitExit());
            assertTrue(Files.notExists(run.resolve("services.properties")));
        }
    }

    @Test
    void a_server_whose_guardian_died_too_is_ended_by_the_next_start() throws Exception {
        int port = FreePort.take();
        try (ServicesProcess killed =
                ServicesProcess.launch(run, port, FreePort.take()).awaitReady()) {
            ProcessHandle guardian = killed.guardian();
            guardian.destroyForcibly();
            guardian.onExit().join();
            killed.kill();

            // The same port: the orphan still listens there.
            try (ServicesProcess next =
                    ServicesProcess.launch(run, port, FreePort.take()).awaitReady()) {
                assertEquals("on", show(next.twinbell(), "fsync"));
            }
        }
    }

    @Test
    void a_taken_port_is_named_with_the_flag_that_changes_it() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName(LoopbackPort.ADDRESS))) {
            int port = taken.getLocalPort();
            Path elsewhere = temporary.resolve("taken");

            ServicesProcess postgres = ServicesProcess.launch(elsewhere, port, FreePort.take());
            assertEquals(2, postgres.awaitExit());
            assertTrue(postgres.output().contains(port + " for PostgreSQL"), postgres.output());
            assertTrue(postgres.output().contains("--postgres-port"), postgres.output());

            ServicesProcess zooKeeper = ServicesProcess.launch(elsewhere, FreePort.take(), port);
            assertEquals(2, zooKeeper.awaitExit());
            assertTrue(zooKeeper.output().contains(port + " for ZooKeeper"), zooKeeper.output());
            assertTrue(zooKeeper.output().contains("--zookeeper-port"), zooKeeper.output());
        }
    }

    /** What can be seen without stopping anything. */
    @Nested
    class WhileRunning {
        private static ServicesProcess services;

        @BeforeAll
        static void start() throws Exception {
            services = ServicesProcess.start(temporary.resolve(PLACE));
        }

        @AfterAll
        static void stop() {
            services.close();
        }

        @Test
        void postgresql_keeps_what_it_commits() throws Exception {
            try (Connection database = services.twinbell()) {
                assertEquals("on", show(database, "fsync"));
                assertEquals("on", show(database, "synchronous_commit"));
                assertEquals("127.0.0.1", show(database, "listen_addresses"));
            }
        }

        @Test
        void only_who_can_read_the_password_file_gets_in() throws Exception {
            for (String role : List.of("postgres", "twinbell", "twinbell_sql")) {
                for (String guess : List.of("", "any", role)) {
                    SQLException refused =
                            assertThrows(SQLException.class, () -> services.connect(role, "twinbell", guess));
                    assertTrue(Set.of("28P01", "08004").contains(refused.getSQLState()), refused::toString);
                }
                services.connect(role, "twinbell", services.password()).close();
            }
            assertEquals(
                    "rw-------",
                    PosixFilePermissions.toString(Files.getPosixFilePermissions(run.resolve("postgres.password"))));
        }

        @Test
        void zookeeper_grants_the_short_sessions_of_the_pair() throws Exception {
            ZooKeeper client = new ZooKeeper(services.zooKeeper(), 4000, event -> {});
            await().until(() -> client.getState() == States.CONNECTED);
            assertEquals(4000, client.getSessionTimeout());
            client.close();
        }

        @Test
        void a_second_process_on_the_same_directory_is_refused() throws Exception {
            ServicesProcess second = ServicesProcess.launch(run, FreePort.take(), FreePort.take());

            assertEquals(2, second.awaitExit());
            assertTrue(second.output().contains("already"), second.output());
            try (Connection database = services.twinbell()) {
                assertEquals("on", show(database, "fsync"));
            }
        }
    }

    private static String show(Connection database, String setting) throws Exception {
        return first(database, "show " + setting);
    }

    private static String first(Connection database, String query) throws Exception {
        try (Statement statement = database.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getString(1);
        }
    }
}
