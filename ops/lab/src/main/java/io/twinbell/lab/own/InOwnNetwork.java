package io.twinbell.lab.own;

import io.twinbell.tools.client.CommandClock;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Reruns the drill as a process in its own network and mount namespaces. Networks and mounts of the drill are invisible
 * outside and vanish with it. Needs root, or a kernel that allows user namespaces.
 */
public final class InOwnNetwork {
    private static final String INSIDE = "twinbell.drill.inside";
    private static final String MAIN = "io.twinbell.tools.cli.TwinbellCommand";
    private static final Duration PATIENCE = Duration.ofSeconds(150);

    private InOwnNetwork() {}

    public static boolean isInside() {
        return System.getProperty(INSIDE) != null;
    }

    /** Why this machine does not allow such a process; null if it does. */
    public static String obstacle() {
        try {
            List<String> words = new ArrayList<>(unshare());
            words.addAll(List.of(
                    "sh",
                    "-c",
                    "command -v ip nsenter mount && ip link set lo up && ip link add tb0 type veth peer name tb1"));
            SystemCommands.run(words);
            return null;
        } catch (IOException e) {
            return "this requires Linux, ip, unshare, nsenter, and root or user namespaces (" + e.getMessage() + ")";
        }
    }

    private static List<String> unshare() {
        List<String> words = new ArrayList<>(List.of("unshare", "--net", "--mount"));
        if (!"root".equals(System.getProperty("user.name"))) {
            words.addAll(List.of("--user", "--map-root-user"));
        }
        return words;
    }

    /** Runs {@code twinbell drill} with the arguments; returns its exit code. */
    public static int drill(List<String> arguments) throws IOException {
        List<String> words = new ArrayList<>(unshare());
        words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        words.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        words.addAll(List.of("-D" + INSIDE + "=yes", "-cp", System.getProperty("java.class.path"), MAIN, "drill"));
        words.addAll(arguments);
        Process inner = new ProcessBuilder(words).inheritIO().start();
        Thread ctrlC = new Thread(() -> leave(inner), "drill-in-own-network");
        Runtime.getRuntime().addShutdownHook(ctrlC);
        int code = inner.onExit().join().exitValue();
        try {
            Runtime.getRuntime().removeShutdownHook(ctrlC);
        } catch (IllegalStateException shutsDownAlready) {
            return code;
        }
        return code;
    }

    /** Ends the inner process and waits until it has cleaned up, before the terminal is given back. */
    private static void leave(Process inner) {
        inner.destroy();
        CommandClock clock = new CommandClock();
        long start = clock.nanos();
        while (inner.isAlive() && clock.since(start).compareTo(PATIENCE) < 0) {
            clock.sleep(Duration.ofMillis(100));
        }
    }

    /** Brings the loopback interface up. The inner process must call this first. */
    public static void enter() throws IOException {
        SystemCommands.run("ip", "link", "set", "lo", "up");
    }
}
