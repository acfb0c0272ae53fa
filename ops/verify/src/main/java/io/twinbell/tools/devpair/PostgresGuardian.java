package io.twinbell.tools.devpair;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A small shell process that stops PostgreSQL when this process has died for any reason. Its standard input is a pipe
 * from this process, which the kernel closes even after SIGKILL.
 */
final class PostgresGuardian implements AutoCloseable {
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
