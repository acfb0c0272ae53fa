package io.twinbell.lab.own;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Gives each component its own host: a network namespace with one link to the drill's namespace, which routes between
 * them. A partition is a routing rule that drops packets from one host to another, in one direction. The sender gets no
 * error, as with a broken switch. The process that holds a namespace open ends with the drill, and then the namespace
 * and its link vanish.
 */
public final class NamespaceHosts implements ComponentHosts {
    private static final String NETWORK = "10.77.";
    private static final String DRILL = NETWORK + "0.1";
    private static final Path FORWARDING = Path.of("/proc/sys/net/ipv4/ip_forward");
    private static final int LOOKS = 500;

    private final Map<String, Process> holders = new LinkedHashMap<>();
    private final List<String> hosts;
    private final Set<List<String>> cuts = new HashSet<>();

    private NamespaceHosts(List<String> hosts) {
        this.hosts = hosts;
    }

    /** Creates the hosts. The drill's process must have its own network namespace. */
    static NamespaceHosts make(List<String> hosts) throws IOException {
        NamespaceHosts namespaceHosts = new NamespaceHosts(List.copyOf(hosts));
        try {
            SystemCommands.run("ip", "addr", "add", DRILL + "/32", "dev", "lo");
            Files.writeString(FORWARDING, "1");
            for (String host : hosts) {
                namespaceHosts.add(host);
            }
            return namespaceHosts;
        } catch (IOException e) {
            namespaceHosts.close();
            throw e;
        }
    }

    private void add(String host) throws IOException {
        // It reads until the pipe from this process ends.
        Process holder = new ProcessBuilder("unshare", "--net", "cat").start();
        holders.put(host, holder);
        awaitOwnNamespace(holder);
        String pid = Long.toString(holder.pid());
        String hub = NETWORK + number(host) + ".1";
        SystemCommands.run("ip", "link", "add", link(host), "type", "veth", "peer", "name", "eth0", "netns", pid);
        SystemCommands.run("ip", "addr", "add", hub + "/24", "dev", link(host));
        SystemCommands.run("ip", "link", "set", link(host), "up");
        inside(host, "ip", "link", "set", "lo", "up");
        inside(host, "ip", "addr", "add", address(host) + "/24", "dev", "eth0");
        up(host);
    }

    private static void awaitOwnNamespace(Process holder) throws IOException {
        Path ours = Files.readSymbolicLink(Path.of("/proc/self/ns/net"));
        Path theirs = Path.of("/proc/" + holder.pid() + "/ns/net");
        for (int looks = 0; looks < LOOKS; looks++) {
            if (!Files.readSymbolicLink(theirs).equals(ours)) {
                return;
            }
            SystemCommands.run("sleep", "0.01");
        }
        throw new IOException("a network namespace cannot be created");
    }

    /** Drops everything sent from one host to another, from now on. */
    public void cut(String from, String to) throws IOException {
        if (!cuts.contains(List.of(from, to))) {
            rule("add", from, to);
            cuts.add(List.of(from, to));
        }
    }

    /** Ends a cut; does nothing if there is none. */
    public void join(String from, String to) throws IOException {
        if (cuts.contains(List.of(from, to))) {
            rule("del", from, to);
            cuts.remove(List.of(from, to));
        }
    }

    /** Takes a host's link down, like a machine switched off or an unplugged cable. */
    public void down(String host) throws IOException {
        inside(host, "ip", "link", "set", "eth0", "down");
    }

    /** Brings a host's link up. A link that went down has lost its routes, so they are added again. */
    public void up(String host) throws IOException {
        inside(host, "ip", "link", "set", "eth0", "up");
        inside(host, "ip", "route", "replace", "default", "via", NETWORK + number(host) + ".1");
    }

    private void rule(String what, String from, String to) throws IOException {
        SystemCommands.run("ip", "rule", what, "from", address(from), "to", address(to), "blackhole");
    }

    private void inside(String host, String... command) throws IOException {
        List<String> words = new ArrayList<>(on(host));
        words.addAll(List.of(command));
        SystemCommands.run(words);
    }

    private int number(String host) {
        return hosts.indexOf(host) + 1;
    }

    private static String link(String host) {
        return "tb-" + host;
    }

    @Override
    public String address(String host) {
        return NETWORK + number(host) + ".2";
    }

    @Override
    public List<String> on(String host) {
        return List.of("nsenter", "-t", Long.toString(holders.get(host).pid()), "-n");
    }

    @Override
    public String drill() {
        return DRILL;
    }

    @Override
    public void close() throws IOException {
        for (Map.Entry<String, Process> holder : holders.entrySet()) {
            new ProcessBuilder("ip", "link", "del", link(holder.getKey()))
                    .start()
                    .onExit()
                    .join();
            holder.getValue().getOutputStream().close();
            holder.getValue().onExit().join();
        }
        new ProcessBuilder("ip", "addr", "del", DRILL + "/32", "dev", "lo")
                .start()
                .onExit()
                .join();
    }
}
