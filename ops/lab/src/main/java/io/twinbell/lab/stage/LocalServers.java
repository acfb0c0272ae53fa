package io.twinbell.lab.stage;

import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The processes of the pair's PostgreSQL and ZooKeeper servers. */
public final class LocalServers {
    /** The process title of a PostgreSQL session over TCP. */
    private static final Pattern SESSION = Pattern.compile(" \\d+\\.\\d+\\.\\d+\\.\\d+\\(\\d+\\) ");

    private final Path run;
    private final List<ProcessHandle> ensemble;

    /**
     * Describes the servers.
     *
     * @param run the run directory with PostgreSQL's data
     * @param ensemble the processes of ZooKeeper
     */
    public LocalServers(Path run, List<ProcessHandle> ensemble) {
        this.run = run;
        this.ensemble = List.copyOf(ensemble);
    }

    /** Every ZooKeeper server. */
    public List<ProcessHandle> zooKeeper() {
        return ensemble;
    }

    /**
     * All processes of PostgreSQL, the postmaster last, so that it starts no process while the others get their signal.
     */
    public List<ProcessHandle> database() throws IOException, DrillException.Refused {
        ProcessHandle postmaster = postmaster();
        return Stream.concat(postmaster.children(), Stream.of(postmaster)).toList();
    }

    /** @throws DrillException.Refused if there are none, although each node holds several */
    public List<ProcessHandle> databaseSessions() throws IOException, DrillException.Refused {
        List<ProcessHandle> sessions = postmaster()
                .children()
                .filter(process -> SESSION.matcher(title(process)).find())
                .toList();
        if (sessions.isEmpty()) {
            throw new DrillException.Refused("no session process of PostgreSQL was found");
        }
        return sessions;
    }

    /** The current process title; Java knows only the command line with which the process was started. */
    private static String title(ProcessHandle process) {
        try {
            Process ps = new ProcessBuilder("ps", "-o", "args=", "-p", Long.toString(process.pid())).start();
            return new String(ps.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "ps cannot be run, which is needed to tell the processes of PostgreSQL apart", e);
        }
    }

    /** The postmaster, which ends on a stop signal. */
    public ProcessHandle postmaster() throws IOException, DrillException.Refused {
        Path file = run.resolve("postgres").resolve("data").resolve("postmaster.pid");
        String pid = Files.readAllLines(file).get(0).strip();
        return ProcessHandle.of(Long.parseLong(pid))
                .orElseThrow(() -> new DrillException.Refused("PostgreSQL, pid " + pid + ", does not run"));
    }
}
