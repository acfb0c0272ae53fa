package io.twinbell.ops.drill;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The processes of the pair's PostgreSQL and ZooKeeper. */
final class LocalServers {
    /** How PostgreSQL titles the process of a session that came over TCP. */
    private static final String SESSION = "127.0.0.1(";

    private final Path run;
    private final ProcessHandle services;

    LocalServers(Path run, ProcessHandle services) {
        this.run = run;
        this.services = services;
    }

    /** It also started PostgreSQL, which does not stop with it when it is only frozen. */
    ProcessHandle zooKeeper() {
        return services;
    }

    /** The server and all its processes, the server last, so that it starts nothing while they are signalled. */
    List<ProcessHandle> database() throws IOException, DrillException.Refused {
        ProcessHandle postmaster = postmaster();
        return Stream.concat(postmaster.children(), Stream.of(postmaster)).toList();
    }

    /** @throws DrillException.Refused if there are none: the nodes hold several each */
    List<ProcessHandle> databaseSessions() throws IOException, DrillException.Refused {
        List<ProcessHandle> sessions = postmaster()
                .children()
                .filter(process -> title(process).contains(SESSION))
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

    private ProcessHandle postmaster() throws IOException, DrillException.Refused {
        Path file = run.resolve("postgres").resolve("data").resolve("postmaster.pid");
        String pid = Files.readAllLines(file).get(0).strip();
        return ProcessHandle.of(Long.parseLong(pid))
                .orElseThrow(() -> new DrillException.Refused("PostgreSQL, pid " + pid + ", does not run"));
    }
}
