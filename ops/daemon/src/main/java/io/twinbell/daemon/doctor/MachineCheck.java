package io.twinbell.daemon.doctor;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.management.UnixOperatingSystemMXBean;
import io.twinbell.node.config.LogConfig;
import io.twinbell.node.config.NodeConfig;
import io.twinbell.node.config.NodeConfig.Endpoint;
import io.twinbell.node.jmx.LocalUsers;
import io.twinbell.node.settings.TrustedFiles;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.stream.Collectors;

/** Checks this machine: ports, open files, directories. */
final class MachineCheck {
    /**
     * The number of open files that a node needs for itself (files, libraries, database connections), whatever its
     * tasks do.
     */
    private static final long OPEN_FILES = 1024;

    private final NodeConfig config;
    private final LogConfig log;
    private final Findings findings;

    MachineCheck(NodeConfig config, LogConfig log, Findings findings) {
        this.config = config;
        this.log = log;
        this.findings = findings;
    }

    /** @param self the answer of the node with this configuration; missing if it does not run */
    void check(JsonNode self) {
        boolean isRunning = self.path("id").asText().equals(config.nodeId());
        Endpoint http = config.listeners().http();
        Endpoint jmx = config.listeners().jmx();
        port("http", http, isRunning);
        port("jmx", jmx, isRunning && self.path("jmx").asText().endsWith(":" + jmx.port()));
        if (jmx.isEnabled()) {
            checkUsers(config.listeners().jmxUsers());
        }
        openFiles();
        plugins(config.handlers().java().plugins());
        log();
    }

    private void port(String listener, Endpoint end, boolean isOurs) {
        if (!end.isEnabled()) {
            findings.ok("port", listener + " is switched off by " + listener + ".enabled");
            return;
        }
        String address = listener + " " + end.host() + ":" + end.port();
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(InetAddress.getByName(end.host()), end.port()));
            findings.ok("port", address + " is free");
        } catch (BindException e) {
            if (isOurs) {
                findings.ok("port", address + " is used by node " + config.nodeId() + ", which is running");
            } else {
                findings.fail(
                        "port",
                        address + ": " + e.getMessage(),
                        "stop the process that uses it, or change " + listener + ".host or " + listener + ".port");
            }
        } catch (IOException | IllegalArgumentException e) {
            findings.fail("port", address + ": " + e.getMessage(), "correct " + listener + ".host");
        }
    }

    private void checkUsers(LocalUsers users) {
        if (users.isEverybody()) {
            findings.warn(
                    "jmx",
                    "every user of this machine may resign and pause (jmx.localUsers is \"*\")",
                    "name the users that need it");
        } else {
            findings.ok(
                    "jmx",
                    "for the node's own user and root"
                            + users.names().stream().map(name -> ", " + name).collect(Collectors.joining()));
        }
    }

    private void openFiles() {
        if (!(ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean machine)) {
            findings.ok("open files", "this system shows no limit");
            return;
        }
        long limit = machine.getMaxFileDescriptorCount();
        long needed = OPEN_FILES + config.workers().maxInFlight();
        if (limit < needed) {
            findings.warn(
                    "open files",
                    limit + " are allowed in this shell; " + config.workers().maxInFlight() + " simultaneous HTTP calls"
                            + " (workers.maxInFlight) need " + needed,
                    "raise LimitNOFILE of the service or ulimit -n, or lower workers.maxInFlight");
        } else {
            findings.ok("open files", limit + " are allowed in this shell");
        }
    }

    /** @param directory null if none is configured */
    private void plugins(Path directory) {
        if (directory == null) {
            return;
        }
        if (!Files.isDirectory(directory)) {
            String said =
                    Files.exists(directory, LinkOption.NOFOLLOW_LINKS) ? " is not a directory" : " does not exist";
            findings.fail("plugins", directory + said, "correct handlers.java.plugins");
        } else if (!Files.isReadable(directory)) {
            findings.fail("plugins", directory + " cannot be read", "let this user read handlers.java.plugins");
        } else {
            changeable(directory);
        }
    }

    private void changeable(Path directory) {
        try {
            TrustedFiles.changeableForNode(directory)
                    .ifPresent(reason -> findings.fail(
                            "plugins",
                            reason,
                            "let only root and the node's user write there; until then, no jar is loaded"));
        } catch (IOException e) {
            findings.fail("plugins", directory + ": " + e, "correct handlers.java.plugins");
        }
    }

    private void log() {
        log.obstacle()
                .ifPresent(obstacle -> findings.fail(
                        "log", "log.directory is " + log.directory() + ": " + obstacle, "correct log.directory"));
    }
}
