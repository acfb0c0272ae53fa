package io.twinbell.lab.server;

import io.twinbell.tools.devpair.DevPassword;
import io.twinbell.tools.devpair.PostgresHome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A self-contained physical backup: a running server's data with the write-ahead log that makes it consistent. */
public final class BackupFiles {
    private static final String LABEL = "backup_label";

    private BackupFiles() {}

    /**
     * Backs up a server while it runs.
     *
     * @param run the server's run directory
     * @param backup a directory that does not exist yet
     */
    public static void make(DatabaseOperator source, Path run, Path backup) throws IOException {
        Path data = PostgresHome.in(run).data();
        String label = source.backUp(() -> ReplicaFiles.copyTree(data, backup, ReplicaFiles::isData));
        ReplicaFiles.copyTree(data, backup, ReplicaFiles::isLog);
        Files.writeString(backup.resolve(LABEL), label);
    }

    /**
     * Replaces the data of a stopped server by a backup.
     *
     * @param original the run directory of the backed-up server, whose password the copy has
     * @param run the run directory of the server that gets the data; it may be the same
     */
    public static void putBack(Path backup, Path original, Path run) throws IOException {
        PostgresHome copy = PostgresHome.in(run);
        copy.beginCopy(run.equals(original) ? DevPassword.in(run) : DevPassword.copy(original, run));
        ReplicaFiles.copyTree(backup, copy.data(), file -> true);
    }
}
