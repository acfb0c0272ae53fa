package io.twinbell.tools.drill.own;

import io.twinbell.tools.client.CommandClock;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The same drill once more, as a process with a network and mounts of its own: whatever it builds there is seen by nobody
 * else, and goes with it. Takes root, or a kernel that lets users have namespaces.
 */
public final class InOwnNetwork {
    private static final String INSIDE = "twinbell.drill.inside";
    private static final String MAIN = "io.twinbell.tools.cli.TwinbellCommand";
    private static final Duration PATIENCE = Duration.ofSeconds(150);

    private InOwnNetwork() {}

    public static boolean isInside() {
        return System.getProperty(INSIDE) != null;
    }

    /** Why it cannot be done here; null if it can. */
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
            return "it takes Linux, ip, unshare, nsenter, and root or user namespaces (" + e.getMessage() + ")";
        }
    }

    private static List<String> unshare() {
        List<String> words = new ArrayList<>(List.of("unshare", "--net", "--mount"));
        if (!"root".equals(System.getProperty("user.name"))) {
            words.addAll(List.of("--user", "--map-root-user"));
        }
        return words;
    }

    /** Runs {@code twinbell drill} with the arguments; answers its exit code. */
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

    /** It tidies up by itself; the terminal is given back when it has. */
    private static void leave(Process inner) {
        inner.destroy();
        CommandClock clock = new CommandClock();
        long start = clock.nanos();
        while (inner.isAlive() && clock.since(start).compareTo(PATIENCE) < 0) {
            clock.rest(Duration.ofMillis(100));
        }
    }

    /** To be called first of all inside. */
    public static void enter() throws IOException {
        SystemCommands.run("ip", "link", "set", "lo", "up");
    }
}
