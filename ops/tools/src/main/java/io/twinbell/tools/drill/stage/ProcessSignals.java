package io.twinbell.tools.drill.stage;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** Sends the signals that Java has no method for. */
public final class ProcessSignals {
    private ProcessSignals() {}

    public static void send(String signal, ProcessHandle process) throws IOException, DrillException.Failed {
        Process kill = new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid()))
                .redirectErrorStream(true)
                .start();
        String said = new String(kill.getInputStream().readAllBytes());
        if (kill.onExit().join().exitValue() != 0) {
            throw new DrillException.Failed(
                    "SIG" + signal + " does not reach pid " + process.pid() + ": " + said.strip());
        }
    }

    /**
     * Whether SIGSTOP has stopped each thread of a process: they stop one by one, and on a busy machine one of them goes on
     * for many milliseconds. Where there is no {@code /proc}, nobody can tell, and it counts as stopped.
     */
    static boolean isStopped(ProcessHandle process) {
        File[] threads =
                Path.of("/proc", Long.toString(process.pid()), "task").toFile().listFiles();
        return threads == null || Arrays.stream(threads).noneMatch(thread -> runs(thread.toPath()));
    }

    private static boolean runs(Path thread) {
        try {
            String stat = Files.readString(thread.resolve("stat"), StandardCharsets.ISO_8859_1);
            // The name, in parentheses, may contain anything; the state follows it.
            return "TtZX".indexOf(stat.charAt(stat.lastIndexOf(')') + 2)) < 0;
        } catch (IOException e) {
            // It has ended meanwhile.
            return false;
        }
    }

    /** To all that still run. A server process may end by itself at any moment, also between the look and the signal. */
    public static void sendAll(String signal, List<ProcessHandle> processes) throws IOException, DrillException.Failed {
        for (ProcessHandle process : processes) {
            if (process.isAlive()) {
                sendUnlessEnded(signal, process);
            }
        }
    }

    static void sendUnlessEnded(String signal, ProcessHandle process) throws IOException, DrillException.Failed {
        try {
            send(signal, process);
        } catch (DrillException.Failed e) {
            if (process.isAlive()) {
                throw e;
            }
        }
    }
}
