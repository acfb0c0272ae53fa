package io.twinbell.persistence.testing;

import io.twinbell.persistence.database.Migrations;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import javax.sql.DataSource;

/**
 * The files of a stopped PostgreSQL with a database of the current schema. They are made once for a build, because to
 * make them takes ten times as long as to copy them. {@code twinbell.test.servers} names their directory.
 */
final class MigratedServer {
    static final String DATABASE = "twinbell";

    /** The default of 10 s is too short on a busy disk. */
    private static final Duration START_LIMIT = Duration.ofMinutes(1);

    /** Each partition makes each statement of a new session dearer, so one day and the default partition must do. */
    private static final String DROP_OTHER_DAYS = """
            do $$
            declare
              partition text;
            begin
              for partition in select inhrelid::regclass::text from pg_inherits
                                where inhparent in ('twinbell.execution'::regclass, 'twinbell.audit_entry'::regclass)
              loop
                if right(partition, 8) not in ('_default', to_char(now() at time zone 'UTC', 'YYYYMMDD')) then
                  execute 'drop table ' || partition;
                end if;
              end loop;
            end $$""";

    /**
     * Lets tests write tasks as the API has them. As in a definition that somebody writes by hand, its next version is
     * told unless the statement sets {@code updated_at}.
     */
    private static final String WRITE_FULL_TASKS = """
            create schema twinbell_test;
            create function twinbell_test.write_full_task() returns trigger language plpgsql as $$
            declare
              own record;
              definition constant bigint := (twinbell.define(array[twinbell.definition_doc(new.owner,
                coalesce(new.tags, '{}'), new.handler_type, new.handler_key, p.content)]))[1]
                from twinbell.parts(new.definition) as p;
            begin
              select * into own from twinbell.parts(new.definition);
              if tg_op = 'INSERT' then
                insert into twinbell.task (app, name, definition_id, data, start_at, fire_at, chained, created_at, updated_at)
                values (new.app, new.name, definition, own.data, own.start_at, own.fire_at, own.chained,
                        coalesce(new.created_at, clock_timestamp()), coalesce(new.updated_at, clock_timestamp()))
                returning id into new.id;
                return new;
              end if;
              update twinbell.task set app = new.app, name = new.name, definition_id = definition, data = own.data,
                start_at = own.start_at, fire_at = own.fire_at, chained = own.chained, created_at = new.created_at,
                updated_at = new.updated_at
              where id = old.id;
              if old.definition is distinct from new.definition and old.updated_at = new.updated_at then
                update twinbell.task_state set version = twinbell.next_version(version),
                  priority = twinbell.priority(new.definition) where task_id = old.id;
                perform pg_notify('twinbell_task', old.id::text);
              end if;
              return new;
            end $$;
            create trigger write_full_task instead of insert or update on twinbell.full_task
              for each row execute function twinbell_test.write_full_task()""";

    private MigratedServer() {}

    /** A server on these files, which are made if the directory is empty or absent. It ends with {@code close}. */
    static EmbeddedPostgres.Builder on(Path data) {
        return EmbeddedPostgres.builder()
                .setDataDirectory(data)
                .setCleanDataDirectory(false)
                .setPGStartupWait(START_LIMIT);
    }

    /** Copies the files to a directory that is empty or absent. */
    static void copyTo(Path data) throws IOException {
        Path servers = Path.of(System.getProperty(
                "twinbell.test.servers",
                Path.of(System.getProperty("java.io.tmpdir"), "twinbell-test-servers")
                        .toString()));
        Path made = servers.resolve(digest());
        Files.createDirectories(servers);
        // One process makes the files, and the others wait.
        synchronized (MigratedServer.class) {
            try (FileChannel lock =
                    FileChannel.open(servers.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                lock.lock();
                if (!Files.exists(made)) {
                    deleteAllIn(servers);
                    Path unfinished = servers.resolve("unfinished");
                    make(unfinished);
                    Files.move(unfinished, made);
                }
            }
        }
        copy(made, data);
    }

    private static void deleteAllIn(Path servers) throws IOException {
        try (Stream<Path> former = Files.list(servers)) {
            former.filter(Files::isDirectory).forEach(MigratedServer::delete);
        }
    }

    private static void make(Path data) throws IOException {
        Optional<ProcessHandle> process = Optional.empty();
        try (EmbeddedPostgres server = on(data).start()) {
            long id = Long.parseLong(
                    Files.readAllLines(data.resolve("postmaster.pid")).get(0).strip());
            process = ProcessHandle.of(id);
            execute(server.getPostgresDatabase(), "create database " + DATABASE);
            DataSource database = server.getDatabase("postgres", DATABASE);
            Migrations.migrate(database);
            execute(database, DROP_OTHER_DAYS);
            execute(database, WRITE_FULL_TASKS);
        } catch (SQLException e) {
            throw new IOException("the database for the tests could not be made", e);
        }
        // The close gives up after some seconds; on a busy machine the server then still removes files.
        process.ifPresent(server -> server.onExit().join());
    }

    private static void execute(DataSource database, String sql) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Of the migrations, the code that runs them, and the day, for which they make partitions. */
    private static String digest() throws IOException {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(LocalDate.now(ZoneOffset.UTC).toString().getBytes(StandardCharsets.UTF_8));
            digest.update(DROP_OTHER_DAYS.getBytes(StandardCharsets.UTF_8));
            digest.update(WRITE_FULL_TASKS.getBytes(StandardCharsets.UTF_8));
            digest.update(bytes("database/Migrations.class"));
            byte[] names = bytes("migrations.txt");
            for (String name : new String(names, StandardCharsets.UTF_8).lines().toList()) {
                digest.update(bytes("migrations/" + name));
            }
            return HexFormat.of().formatHex(digest.digest(), 0, 8);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte[] bytes(String name) throws IOException {
        try (InputStream stream = Migrations.class.getResourceAsStream("/io/twinbell/persistence/" + name)) {
            return stream.readAllBytes();
        }
    }

    static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                Path target = to.resolve(from.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(target);
                    Files.setPosixFilePermissions(target, Files.getPosixFilePermissions(file));
                } else {
                    Files.copy(file, target);
                }
            }
        }
    }

    static void delete(Path directory) {
        try (Stream<Path> files = Files.walk(directory)) {
            List<Path> leavesFirst = files.sorted(Comparator.reverseOrder()).toList();
            for (Path file : leavesFirst) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
