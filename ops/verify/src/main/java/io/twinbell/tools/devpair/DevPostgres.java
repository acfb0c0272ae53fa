package io.twinbell.tools.devpair;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * A real PostgreSQL server with durable commits, with the database and the user {@code twinbell}. It listens only on
 * the given addresses: 127.0.0.1, unless a drill has its own network. Each connection needs the {@link DevPassword}.
 * During the first start, until the password is set, the server trusts this machine.
 */
final class DevPostgres implements AutoCloseable {
    private static final Duration START_LIMIT = Duration.ofSeconds(60);
    private static final int REASON_LINES = 5;

    private final EmbeddedPostgres server;
    private final PostgresGuardian guardian;
    private final Postmaster postmaster;
    private final ProcessHandle process;

    private DevPostgres(
            EmbeddedPostgres server, PostgresGuardian guardian, Postmaster postmaster, ProcessHandle process) {
        this.server = server;
        this.guardian = guardian;
        this.postmaster = postmaster;
        this.process = process;
    }

    /** Ends the server of a killed predecessor, to free its data and port. */
    static void endPredecessor(Path run) throws IOException, RefusedToStart {
        new Postmaster(PostgresHome.in(run).data()).endPredecessor();
    }

    /** Starts the server. Steps that take long are reported to {@code progress}. */
    static DevPostgres start(Path run, String address, int port, Consumer<String> progress)
            throws IOException, SQLException, RefusedToStart {
        PostgresHome home = PostgresHome.in(run);
        Postmaster postmaster = new Postmaster(home.data());
        if (home.prepare()) {
            progress.accept("Unpacking PostgreSQL and creating its database (only the first time, about 10 seconds)");
        }
        progress.accept("Starting PostgreSQL on port " + port);
        PostgresGuardian guardian = PostgresGuardian.watchOver(home.data());
        Set<String> addresses = new LinkedHashSet<>(List.of(LoopbackPort.ADDRESS, address));
        String password = DevPassword.in(run);
        boolean isSet = home.hasPassword(password);
        Path access = isSet ? home.askPasswords(addresses) : home.trust();
        EmbeddedPostgres server = launch(home, freshLog(run.resolve("logs")), addresses, port, access, password);
        TwinbellDatabase database =
                new TwinbellDatabase(server.getPostgresDatabase(Map.of("password", password)), password);
        database.ensure();
        if (!isSet) {
            database.setPasswords();
            home.askPasswords(addresses);
            database.readAccess();
            home.passwordSet(password);
        }
        home.initialised();
        ProcessHandle process =
                postmaster.find().orElseThrow(() -> new RefusedToStart("PostgreSQL ended directly after its start"));
        return new DevPostgres(server, guardian, postmaster, process);
    }

    /** Completes when the server has ended for any reason. */
    CompletableFuture<ProcessHandle> gone() {
        return process.onExit();
    }

    /** Stops the server. If it does not stop in time, the guardian ends it after this process. */
    @Override
    public void close() throws IOException {
        if (postmaster.find().isPresent()) {
            server.close();
        }
        if (postmaster.find().isEmpty()) {
            guardian.close();
        }
    }

    /** Quotes a path, because the library inserts it unquoted into a shell command. */
    private static String quoted(Path file) {
        return "'" + file.toString().replace("'", "'\\''") + "'";
    }

    /** Starts a new log and keeps the previous one beside it. */
    private static Path freshLog(Path logs) throws IOException {
        Path log = logs.resolve("postgres.log");
        if (Files.exists(log)) {
            Files.move(log, logs.resolve("postgres.log.1"), StandardCopyOption.REPLACE_EXISTING);
        }
        return log;
    }

    /** The last lines of the server's log, which say why it did not start. Without them, the cause is still reported. */
    private static String endOf(Path log) {
        List<String> lines;
        try {
            lines = new String(Files.readAllBytes(log), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
        } catch (IOException e) {
            return "(it cannot be read: " + e + ")";
        }
        return String.join("\n", lines.subList(Math.max(0, lines.size() - REASON_LINES), lines.size()));
    }

    private static EmbeddedPostgres launch(
            PostgresHome home, Path log, Set<String> addresses, int port, Path access, String password)
            throws IOException, RefusedToStart {
        // By default the library cleans up in a directory that all users of this machine share.
        System.setProperty("ot.epg.working-dir", home.binaries().toString());
        try {
            return EmbeddedPostgres.builder()
                    .setConnectConfig("password", password)
                    .setPort(port)
                    .setDataDirectory(home.data())
                    .setCleanDataDirectory(false)
                    .setRegisterShutdownHook(false)
                    .setPGStartupWait(START_LIMIT)
                    // The command that stops the server writes here, too.
                    .setOutputRedirector(Redirect.appendTo(log.toFile()))
                    // The same text order on every machine, whatever its locales are.
                    .setLocaleConfig("locale", "C")
                    .setLocaleConfig("locale-provider", "builtin")
                    .setLocaleConfig("builtin-locale", "C.UTF-8")
                    .setServerConfig("listen_addresses", String.join(",", addresses))
                    .setServerConfig("hba_file", quoted(access))
                    .setServerConfig("unix_socket_directories", "")
                    // The library passes -F, which turns fsync off for tests that may lose data. The later setting
                    // wins.
                    .setServerConfig("fsync", "on")
                    .setServerConfig("synchronous_commit", "on")
                    // The client gets the error of a refused statement; in this log, such errors would fill the disk
                    // over weeks.
                    .setServerConfig("log_min_messages", "log")
                    .start();
        } catch (IllegalStateException e) {
            throw new RefusedToStart(
                    "PostgreSQL cannot be set up in " + home.data() + ": " + e.getMessage()
                            + " (as root, PostgreSQL needs user namespaces; otherwise run this as an ordinary user)",
                    e);
        } catch (IOException e) {
            throw new RefusedToStart(
                    "PostgreSQL did not start: " + e.getMessage() + "; the end of " + log + ":\n" + endOf(log), e);
        }
    }

    /**
     * A small shell process that stops PostgreSQL when this process has died for any reason. Its standard input is a pipe
     * from this process, which the kernel closes even after SIGKILL.
     */
    private static final class PostgresGuardian implements AutoCloseable {
        private static final Path SETSID = Path.of("/usr/bin/setsid");

        private final Process process;

        private PostgresGuardian(Process process) {
            this.process = process;
        }

        static PostgresGuardian watchOver(Path data) throws IOException {
            List<String> command = new ArrayList<>();
            if (Files.isExecutable(SETSID)) {
                // Its own session, so that a signal to this process group does not end the guardian, too.
                command.add(SETSID.toString());
            }
            command.addAll(List.of("sh", "-c", script(), "twinbell-postgres-guardian", data.toString()));
            ProcessBuilder guardian = new ProcessBuilder(command);
            guardian.redirectOutput(Redirect.DISCARD).redirectError(Redirect.DISCARD);
            return new PostgresGuardian(guardian.start());
        }

        /** Ends the guardian, because there is nothing left to stop. */
        @Override
        public void close() throws IOException {
            try (OutputStream pipe = process.getOutputStream()) {
                pipe.write("relieved\n".getBytes(StandardCharsets.UTF_8));
            }
        }

        private static String script() throws IOException {
            try (InputStream script = PostgresGuardian.class.getResourceAsStream("guardian.sh")) {
                return new String(script.readAllBytes(), StandardCharsets.UTF_8);
            }
        }
    }

    /** The PostgreSQL process named in a data directory's {@code postmaster.pid}. */
    private static final class Postmaster {
        private static final Duration STOP_LIMIT = Duration.ofSeconds(10);

        private final Path data;

        Postmaster(Path data) {
            this.data = data;
        }

        /** The running process; empty if there is none. The pid may be stale and belong to an unrelated process. */
        Optional<ProcessHandle> find() throws IOException {
            Path file = data.resolve("postmaster.pid");
            if (Files.notExists(file)) {
                return Optional.empty();
            }
            return Files.readAllLines(file).stream()
                    .findFirst()
                    .map(Long::valueOf)
                    .flatMap(ProcessHandle::of)
                    .filter(this::servesThisData);
        }

        /**
         * Cleans up after a predecessor that was killed together with its guardian: ends an orphaned server, and deletes a
         * pid file whose number now belongs to another process, because PostgreSQL would refuse to start.
         */
        void endPredecessor() throws IOException, RefusedToStart {
            Optional<ProcessHandle> running = find();
            if (running.isPresent()) {
                end(running.get());
            }
            Files.deleteIfExists(data.resolve("postmaster.pid"));
        }

        private boolean servesThisData(ProcessHandle process) {
            return process.info().commandLine().orElse("").contains(data.toString());
        }

        private static void end(ProcessHandle process) throws RefusedToStart {
            process.destroy();
            try {
                process.onExit().get(STOP_LIMIT.toSeconds(), TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new RefusedToStart("Interrupted while an earlier PostgreSQL was stopping", e);
            } catch (ExecutionException | TimeoutException e) {
                throw new RefusedToStart(
                        "An earlier PostgreSQL (pid " + process.pid() + ") still uses the data directory and does not"
                                + " stop",
                        e);
            }
        }
    }
}
