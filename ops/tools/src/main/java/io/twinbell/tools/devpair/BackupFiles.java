package io.twinbell.tools.devpair;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A physical backup that stands by itself: the data of a running server with the log that makes it whole. */
public final class BackupFiles {
    private static final String LABEL = "backup_label";

    private BackupFiles() {}

    /**
     * Backs up a server while it runs.
     *
     * @param run the server's run directory
     * @param backup does not exist yet
     */
    public static void make(DatabaseOperator source, Path run, Path backup) throws IOException {
        Path data = PostgresHome.in(run).data();
        String label = source.backUp(() -> ReplicaFiles.copyTree(data, backup, ReplicaFiles::isData));
        ReplicaFiles.copyTree(data, backup, ReplicaFiles::isLog);
        Files.writeString(backup.resolve(LABEL), label);
    }

    /**
     * Replaces the data of a server that does not run by those of a backup.
     *
     * @param original the run directory of the server that was backed up, whose password the copy has
     * @param run that of the server that is to have the data; it may be the same
     */
    public static void putBack(Path backup, Path original, Path run) throws IOException {
        PostgresHome copy = PostgresHome.in(run);
        copy.beginCopy(run.equals(original) ? DevPassword.in(run) : DevPassword.copy(original, run));
        ReplicaFiles.copyTree(backup, copy.data(), file -> true);
    }
}
