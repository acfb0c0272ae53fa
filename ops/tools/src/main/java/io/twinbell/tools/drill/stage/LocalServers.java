package io.twinbell.tools.drill.stage;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The processes of the pair's PostgreSQL and ZooKeeper. */
public final class LocalServers {
    /** How PostgreSQL titles the process of a session that came over TCP. */
    private static final Pattern SESSION = Pattern.compile(" \\d+\\.\\d+\\.\\d+\\.\\d+\\(\\d+\\) ");

    private final Path run;
    private final List<ProcessHandle> ensemble;

    /**
     * The servers.
     *
     * @param run where PostgreSQL has its data
     * @param ensemble the processes of ZooKeeper
     */
    public LocalServers(Path run, List<ProcessHandle> ensemble) {
        this.run = run;
        this.ensemble = List.copyOf(ensemble);
    }

    /** Every server of it. */
    public List<ProcessHandle> zooKeeper() {
        return ensemble;
    }

    /** The server and all its processes, the server last, so that it starts nothing while they are signalled. */
    public List<ProcessHandle> database() throws IOException, DrillException.Refused {
        ProcessHandle postmaster = postmaster();
        return Stream.concat(postmaster.children(), Stream.of(postmaster)).toList();
    }

    /** @throws DrillException.Refused if there are none: the nodes hold several each */
    public List<ProcessHandle> databaseSessions() throws IOException, DrillException.Refused {
        List<ProcessHandle> sessions = postmaster()
                .children()
                .filter(process -> SESSION.matcher(title(process)).find())
                .toList();
        if (sessions.isEmpty()) {
            throw new DrillException.Refused("no session of PostgreSQL can be found among its processes");
        }
        return sessions;
    }

    /** Java knows the command that a process was started with, and not the title that it has given itself since. */
    private static String title(ProcessHandle process) {
        try {
            Process ps = new ProcessBuilder("ps", "-o", "args=", "-p", Long.toString(process.pid())).start();
            return new String(ps.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("ps, which tells the processes of PostgreSQL apart, cannot be run", e);
        }
    }

    /** The server's first process, which ends when it is told to stop. */
    public ProcessHandle postmaster() throws IOException, DrillException.Refused {
        Path file = run.resolve("postgres").resolve("data").resolve("postmaster.pid");
        String pid = Files.readAllLines(file).get(0).strip();
        return ProcessHandle.of(Long.parseLong(pid))
                .orElseThrow(() -> new DrillException.Refused("PostgreSQL, pid " + pid + ", does not run"));
    }
}
