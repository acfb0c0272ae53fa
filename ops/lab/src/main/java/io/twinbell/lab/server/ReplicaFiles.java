package io.twinbell.lab.server;

import io.twinbell.tools.devpair.DevPassword;
import io.twinbell.tools.devpair.PostgresHome;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Creates the files that make a server a replica. The embedded PostgreSQL has no {@code pg_basebackup}, so the copy
 * uses the server's own backup functions.
 */
public final class ReplicaFiles {
    /** The replica's name at its primary; either server may have it. */
    public static final String NAME = "twinbell_replica";

    private static final String CONFIGURATION = "postgresql.auto.conf";
    private static final String SIGNAL = "standby.signal";
    private static final String LOG = "pg_wal";
    /** Files that belong to the running server, or of which the copy gets its own version. */
    private static final Set<String> NOT_COPIED =
            Set.of("postmaster.pid", "postmaster.opts", "epg-lock", CONFIGURATION, SIGNAL);
    /** Directories that the copy needs empty. */
    private static final Set<String> COPIED_EMPTY = Set.of(
            "pg_replslot", "pg_dynshmem", "pg_notify", "pg_serial", "pg_snapshots", "pg_stat_tmp", "pg_subtrans");

    private ReplicaFiles() {}

    /**
     * Replaces the data of a stopped server by a copy of a primary's data. The write-ahead log since the copy comes
     * from the primary later.
     *
     * @param source the running primary
     * @param from the primary's run directory
     * @param to the replica's run directory
     */
    public static void copy(DatabaseOperator source, Path from, Path to) throws IOException {
        PostgresHome copy = PostgresHome.in(to);
        copy.beginCopy(DevPassword.copy(from, to));
        Path original = PostgresHome.in(from).data();
        String label = source.backUp(() -> copyTree(original, copy.data(), ReplicaFiles::isCopied));
        Files.writeString(copy.data().resolve("backup_label"), label);
    }

    /** Makes the server follow a primary from its next start on, whatever it was before. */
    public static void follow(Path run, String host, int port) throws IOException {
        Path data = PostgresHome.in(run).data();
        Files.write(
                data.resolve(CONFIGURATION),
                List.of(
                        "wal_keep_size = '256MB'",
                        "wal_retrieve_retry_interval = '200ms'",
                        "synchronous_standby_names = ''",
                        "primary_conninfo = 'host=" + host + " port=" + port + " user=postgres password="
                                + DevPassword.in(run) + " application_name=" + NAME + "'"));
        Files.write(data.resolve(SIGNAL), new byte[0]);
    }

    /**
     * Configures a server not to wait for a replica. It works on a server that accepts no statements now: the setting
     * applies once the server reads its configuration.
     */
    public static void disableSynchronousReplication(Path run) throws IOException {
        Files.writeString(
                PostgresHome.in(run).data().resolve(CONFIGURATION),
                "synchronous_standby_names = ''\n",
                StandardOpenOption.APPEND);
    }

    /** Copies the directories and the wanted files, given by their path below the first directory. */
    static void copyTree(Path from, Path to, Predicate<Path> isWanted) throws IOException {
        Files.walkFileTree(from, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes)
                    throws IOException {
                Path target = to.resolve(from.relativize(directory).toString());
                if (Files.notExists(target)) {
                    Files.createDirectory(
                            target, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                if (isWanted.test(from.relativize(file))) {
                    copyIfThere(file, to.resolve(from.relativize(file).toString()));
                }
                return FileVisitResult.CONTINUE;
            }

            /** The server may remove files meanwhile; the copy repeats the removal from the write-ahead log. */
            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
                if (e instanceof NoSuchFileException) {
                    return FileVisitResult.CONTINUE;
                }
                throw e;
            }
        });
    }

    static boolean isCopied(Path file) {
        String top = file.getName(0).toString();
        boolean isHistory = file.getFileName().toString().endsWith(".history");
        return !COPIED_EMPTY.contains(top) && !NOT_COPIED.contains(file.toString()) && (!top.equals(LOG) || isHistory);
    }

    /**
     * Whether a file belongs to a self-contained copy: all except the log and files written only for the running
     * server.
     */
    static boolean isData(Path file) {
        return file.toString().equals(CONFIGURATION) || isCopied(file);
    }

    static boolean isLog(Path file) {
        return file.getName(0).toString().equals(LOG);
    }

    private static void copyIfThere(Path file, Path target) throws IOException {
        try {
            // The history files of timelines are copied with the data and again with the log.
            Files.copy(file, target, StandardCopyOption.COPY_ATTRIBUTES, StandardCopyOption.REPLACE_EXISTING);
        } catch (NoSuchFileException removedMeanwhile) {
            Files.deleteIfExists(target);
        }
    }
}
