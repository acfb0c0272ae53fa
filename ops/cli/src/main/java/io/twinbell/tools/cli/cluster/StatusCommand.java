package io.twinbell.tools.cli.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.tools.cli.option.NodeAddresses;
import io.twinbell.tools.client.CommandClock;
import io.twinbell.tools.client.HealthExitCode;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.client.NodeStatus;
import io.twinbell.tools.client.PairSnapshot;
import io.twinbell.tools.terminal.CommandOutput;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command {@code twinbell status}: prints a line for each node, from the node's own view. */
@Command(
        name = "status",
        description = "Shows the state of each node, as the node itself reports it.",
        exitCodeList = {
            "0:healthy: one master, and a standby that can take over",
            "1:degraded: no standby can take over, also because of a hold, or slots start more than a minute late;"
                    + " or nodes only warn, for example of tasks that fail: then failoverReady says whether the pair is"
                    + " sound",
            "2:not exactly one master, a master that does not fire, or wrong usage",
            "3:no node answers",
        },
        footer = {"  twinbell status", "  twinbell status -w", "  twinbell status -o json"})
public final class StatusCommand implements Callable<Integer> {
    private static final int MOST_SHOWN = 10;
    private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);

    @Spec
    private CommandSpec spec;

    @Mixin
    private NodeAddresses pair;

    @Option(
            names = {"-w", "--watch"},
            description = "Refresh every second until interrupted.")
    private boolean watch;

    @Mixin
    private CommandOutput output;

    @Override
    public Integer call() {
        CommandClock clock = new CommandClock();
        HealthExitCode health = show();
        while (watch && !Thread.currentThread().isInterrupted()) {
            clock.sleep(BETWEEN_LOOKS);
            health = show();
        }
        return health.exitCode();
    }

    private HealthExitCode show() {
        PairSnapshot status = pair.status();
        PrintWriter out = spec.commandLine().getOut();
        JsonNode known =
                status.isOnHold() || status.isPaused() || status.hasStandingPauses() ? known() : NullNode.getInstance();
        if (output.isDocument()) {
            if (watch) {
                output.next(out, json(status, known));
            } else {
                output.document(out, json(status, known));
            }
        } else {
            status.nodes().forEach(node -> out.println(node.line()));
            if (known.path("hold").isObject()) {
                out.println(HoldCommand.line(known.path("hold")));
            }
            if (known.path("pause").isObject()) {
                out.println(PauseCommand.line(known.path("pause")));
            }
            printStanding(out, known.path("standingPauses"));
            status.failures().forEach(spec.commandLine().getErr()::println);
            status.heldBack().ifPresent(why -> spec.commandLine().getErr().println("NOTHING FIRES: " + why));
            status.notFiring().ifPresent(why -> spec.commandLine().getErr().println("NOTHING FIRES: " + why));
            status.warnings().forEach(warning -> spec.commandLine().getErr().println("WARNING: " + warning));
            if (status.parkedRuns() > 0) {
                out.println(waiting(status.parkedRuns()));
            }
            if (status.slotsInDoubt() > 0) {
                out.println(inDoubt(status.slotsInDoubt()));
            }
            if (status.health() != HealthExitCode.HEALTHY) {
                spec.commandLine().getErr().println(status.health().meaning());
            }
        }
        out.flush();
        return status.health();
    }

    private static void printStanding(PrintWriter out, JsonNode pauses) {
        int shown = 0;
        for (JsonNode pause : pauses) {
            if (shown++ == MOST_SHOWN) {
                out.println((pauses.size() - MOST_SHOWN) + " more standing pauses; 'twinbell pauses' lists all");
                return;
            }
            out.println(PauseCommand.line(pause));
        }
    }

    private static String waiting(long runs) {
        return runs + (runs == 1 ? " execution waits" : " executions wait") + " for a callback";
    }

    private static String inDoubt(long slots) {
        return slots + (slots == 1 ? " slot is" : " slots are")
                + " in doubt after a database failover in the last 24 hours; 'twinbell executions --in-doubt' lists"
                + " them";
    }

    /**
     * The pair's records in the database, as a node reads them. If no node can read them, the nodes are shown without
     * them.
     */
    private JsonNode known() {
        try {
            return pair.get("/api/v1/cluster");
        } catch (NodeException e) {
            spec.commandLine()
                    .getErr()
                    .println("a hold or a pause is active, and its details cannot be read: " + e.getMessage());
            return NullNode.getInstance();
        }
    }

    private static ObjectNode json(PairSnapshot status, JsonNode known) {
        ObjectMapper mapper = new ObjectMapper();
        ObjectNode report = mapper.createObjectNode();
        report.put("health", status.health().name());
        report.put("meaning", status.health().meaning());
        report.put("master", status.master().map(NodeStatus::id).orElse(null));
        report.set("hold", known.path("hold").isObject() ? known.path("hold") : NullNode.getInstance());
        report.set("pause", known.path("pause").isObject() ? known.path("pause") : NullNode.getInstance());
        ArrayNode standing = report.putArray("standingPauses");
        known.path("standingPauses").forEach(standing::add);
        report.put("nobodyFires", status.heldBack().or(status::notFiring).orElse(null));
        report.put("slotsInDoubt", status.slotsInDoubt());
        report.put("parkedRuns", status.parkedRuns());
        status.warnings().forEach(report.putArray("warnings")::add);
        ArrayNode failures = report.putArray("failures");
        status.failures().forEach(failures::add);
        ArrayNode nodes = report.putArray("nodes");
        for (NodeStatus node : status.nodes()) {
            ObjectNode entry = nodes.addObject();
            entry.put("id", node.id());
            entry.put("role", node.role());
            entry.put("epoch", node.epoch());
            entry.put("http", node.http());
            entry.put("jmx", node.jmx());
            entry.put("lagMillis", node.nodeResources().lagMillis());
        }
        return report;
    }
}
