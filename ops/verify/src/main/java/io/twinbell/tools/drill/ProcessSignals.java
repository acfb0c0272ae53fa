package io.twinbell.tools.drill;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** Sends the signals for which Java has no method. */
public final class ProcessSignals {
    private ProcessSignals() {}

    public static void send(String signal, ProcessHandle process) throws IOException, DrillException.Failed {
        Process kill = new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid()))
                .redirectErrorStream(true)
                .start();
        String said = new String(kill.getInputStream().readAllBytes());
        if (kill.onExit().join().exitValue() != 0) {
            throw new DrillException.Failed(
                    "SIG" + signal + " cannot be sent to pid " + process.pid() + ": " + said.strip());
        }
    }

    /**
     * Whether SIGSTOP has stopped every thread of a process. Threads stop one by one, and on a busy machine one may go
     * on for many milliseconds. Without {@code /proc} this is unknown, and the process counts as stopped.
     */
    public static boolean isStopped(ProcessHandle process) {
        File[] threads =
                Path.of("/proc", Long.toString(process.pid()), "task").toFile().listFiles();
        return threads == null || Arrays.stream(threads).noneMatch(thread -> runs(thread.toPath()));
    }

    private static boolean runs(Path thread) {
        try {
            String stat = Files.readString(thread.resolve("stat"), StandardCharsets.ISO_8859_1);
            // The name, in parentheses, may contain any character; the state follows it.
            return "TtZX".indexOf(stat.charAt(stat.lastIndexOf(')') + 2)) < 0;
        } catch (IOException e) {
            // The process has ended meanwhile.
            return false;
        }
    }

    /**
     * Signals every process that still runs. A server process may end by itself at any moment, also just before its
     * signal.
     */
    public static void sendAll(String signal, List<ProcessHandle> processes) throws IOException, DrillException.Failed {
        for (ProcessHandle process : processes) {
            if (process.isAlive()) {
                sendUnlessEnded(signal, process);
            }
        }
    }

    public static void sendUnlessEnded(String signal, ProcessHandle process) throws IOException, DrillException.Failed {
        try {
            send(signal, process);
        } catch (DrillException.Failed e) {
            if (process.isAlive()) {
                throw e;
            }
        }
    }
}
