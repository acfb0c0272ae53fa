package io.twinbell.lab.own;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A child process that cannot outlive the drill. A shell holds the read end of a pipe from this process and kills its
 * child when the pipe ends, however the drill ended.
 */
final class BoundProcess implements AutoCloseable {
    private static final String SCRIPT = "log=$1; shift; \"$@\" </dev/null >>\"$log\" 2>&1 & child=$!; echo $child;"
            // The shell would report that its child was killed.
            + " exec 2>/dev/null;"
            + " IFS= read -r _; kill -KILL $child; wait";

    private final Process shell;
    private final Optional<ProcessHandle> process;

    private BoundProcess(Process shell, Optional<ProcessHandle> process) {
        this.shell = shell;
        this.process = process;
    }

    /** Starts the process in its own session, which Ctrl-C does not reach. */
    static BoundProcess start(Path log, List<String> command) throws IOException {
        List<String> leashed = new ArrayList<>(List.of("setsid", "bash", "-c", SCRIPT, "leash", log.toString()));
        leashed.addAll(command);
        Process shell =
                new ProcessBuilder(leashed).redirectError(Redirect.INHERIT).start();
        String pid = shell.inputReader().readLine();
        if (pid == null) {
            throw new IOException("cannot start " + String.join(" ", command));
        }
        return new BoundProcess(shell, ProcessHandle.of(Long.parseLong(pid)));
    }

    /** The process; empty if it has ended. */
    Optional<ProcessHandle> process() {
        return process.filter(ProcessHandle::isAlive);
    }

    boolean isAlive() {
        return process().isPresent();
    }

    /** Kills the process if it still runs, and waits for its end. */
    @Override
    public void close() throws IOException {
        shell.getOutputStream().close();
        shell.onExit().join();
    }
}
