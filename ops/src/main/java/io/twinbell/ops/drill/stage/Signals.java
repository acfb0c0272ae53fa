package io.twinbell.ops.drill.stage;

import java.io.IOException;
import java.util.List;

/** Sends the signals that Java has no method for. */
public final class Signals {
    private Signals() {}

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

    /** To all that still run: servers come and go. */
    public static void sendAll(String signal, List<ProcessHandle> processes) throws IOException, DrillException.Failed {
        for (ProcessHandle process : processes) {
            if (process.isAlive()) {
                send(signal, process);
            }
        }
    }
}
