package io.twinbell.tools.drill.installed;

import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The installed node beside this command line, as {@code bin/twinbell} describes it: a daemon with a pid file, or the
 * systemd unit {@code twinbell-node}.
 */
public final class InstalledNode {
    private static final String TOP = "twinbell.installed";
    private static final String PID_FILE = "twinbell.pidFile";
    private static final String ADDRESS = "twinbell.node";
    private static final String UNIT = "twinbell-node.service";
    private static final Path SYSTEMD = Path.of("/run/systemd/system");

    /** Reads a pid file by the scripts' own rule: a process that merely reuses the pid is not the node. */
    private static final String PID_OF = ". \"$1\" && running \"$2\" && printf %s \"$pid\"";

    private final Path top;
    private final String pidFile;
    private boolean isUnit;

    private InstalledNode(Path top, String pidFile) {
        this.top = top;
        this.pidFile = pidFile;
    }

    /** Whether this command line comes from a package and not from a source clone. */
    public static boolean isPackage() {
        return System.getProperty(TOP) != null;
    }

    /** Finds the node of this command line's package. */
    public static InstalledNode find() {
        return new InstalledNode(Path.of(System.getProperty(TOP)), System.getProperty(PID_FILE, ""));
    }

    public URI address() throws DrillException.Refused {
        String address = System.getProperty(ADDRESS);
        if (address == null) {
            throw new DrillException.Refused("there is no readable configuration beside " + top + ", so the node of"
                    + " this machine is unknown; run the drill as a user who can read the configuration"
                    + " (TWINBELL_CONF)");
        }
        return URI.create(address);
    }

    public ProcessHandle process() throws IOException, DrillException.Refused {
        Optional<ProcessHandle> daemon = handle(said(List.of(
                "bash",
                "-c",
                PID_OF,
                "drill",
                top.resolve("bin/parts/process.sh").toString(),
                pidFile)));
        Optional<ProcessHandle> unit = Files.isDirectory(SYSTEMD)
                ? handle(said(List.of("systemctl", "show", "--property=MainPID", "--value", UNIT)))
                : Optional.empty();
        // Under systemd the pid file names the same process; another one is a second node of this machine.
        isUnit = unit.isPresent() && (daemon.isEmpty() || daemon.equals(unit));
        return daemon.or(() -> unit)
                .orElseThrow(() -> new DrillException.Refused("the process of this machine's node is unknown:"
                        + " neither " + pidFile + " nor systemd's " + UNIT + " names a running process. Start the"
                        + " node with 'twinbell-node start' or"
                        + " 'systemctl start twinbell-node', or use 'twinbell switchover'"));
    }

    /** Starts the node in the way it was started before; returns when it is ready. */
    public void start() throws IOException, DrillException.Failed {
        List<String> command = isUnit
                ? List.of("systemctl", "start", UNIT)
                : List.of(top.resolve("bin/twinbell-node").toString(), "start");
        Path answer = Files.createTempFile("twinbell-start", null);
        try {
            // Not through a pipe: the daemon would keep its other end open.
            int exitCode = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(answer.toFile())
                    .start()
                    .onExit()
                    .join()
                    .exitValue();
            if (exitCode != 0) {
                throw new DrillException.Failed("'" + String.join(" ", command) + "' failed: "
                        + Files.readString(answer).strip().replace("\n", " / "));
            }
        } finally {
            Files.delete(answer);
        }
    }

    private static Optional<ProcessHandle> handle(String pid) {
        return pid.matches("[1-9]\\d*") ? ProcessHandle.of(Long.parseLong(pid)) : Optional.empty();
    }

    private static String said(List<String> command) throws IOException {
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        return process.onExit().join().exitValue() == 0 ? said : "";
    }
}
