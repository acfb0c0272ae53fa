package io.twinbell.lab.own;

import io.twinbell.lab.server.BackupFiles;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.nio.file.Path;

/** A physical backup of a running PostgreSQL server. */
public final class Backup {
    private final OwnDatabase server;
    private final Path files;

    private Backup(OwnDatabase server, Path files) {
        this.server = server;
        this.files = files;
    }

    /** @param files a directory that does not exist yet */
    static Backup of(OwnDatabase server, Path files) throws IOException {
        BackupFiles.make(server.operator(), server.home(), files);
        return new Backup(server, files);
    }

    /**
     * Restores the backup's files and starts the server, which must be stopped or killed. Returns when it accepts
     * connections.
     */
    public void putBack() throws IOException, DrillException {
        BackupFiles.putBack(files, server.home(), server.home());
        server.start();
    }

    /** Copies the backup's files to another server, which must not run. */
    void putInto(Path run) throws IOException {
        BackupFiles.putBack(files, server.home(), run);
    }
}
