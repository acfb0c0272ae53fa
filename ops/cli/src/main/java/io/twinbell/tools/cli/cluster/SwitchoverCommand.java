package io.twinbell.tools.cli.cluster;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.tools.cli.option.NodeAddresses;
import io.twinbell.tools.cli.option.RequestedBy;
import io.twinbell.tools.client.CommandClock;
import io.twinbell.tools.client.HealthExitCode;
import io.twinbell.tools.client.NodeClient;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.client.NodeStatus;
import io.twinbell.tools.client.PairSnapshot;
import io.twinbell.tools.terminal.CommandOutput;
import java.io.PrintWriter;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command {@code twinbell switchover}: asks the master to hand over, and waits until the other node is master. */
@Command(
        name = "switchover",
        description = "Moves the role of master to the standby, even while automatic takeover is on hold. It prints"
                + " both nodes, the epochs and the duration.",
        exitCodeList = {
            "0:the role has moved",
            "1:refused, or the role did not move in time",
            "2:not exactly one master, or wrong usage",
            "3:no node answers",
        },
        footer = {"  twinbell switchover", "  twinbell switchover --to b --reason \"new kernel on a\""})
public final class SwitchoverCommand implements Callable<Integer> {
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(50);

    @Spec
    private CommandSpec spec;

    @Mixin
    private NodeAddresses nodes;

    @Mixin
    private RequestedBy requestedBy;

    @Option(names = "--to", paramLabel = "NODE", description = "The node that should be master. Default: the standby.")
    private String to;

    @Option(names = "--timeout", defaultValue = "PT30S", description = "Time limit. Default: ${DEFAULT-VALUE}.")
    private Duration timeout;

    @Mixin
    private CommandOutput output;

    private final CommandClock clock = new CommandClock();

    @Override
    public Integer call() throws NodeException {
        PairSnapshot before = nodes.status();
        Optional<NodeStatus> master = before.master();
        if (master.isEmpty()) {
            err().println("Cannot switch over: "
                    + (before.health() == HealthExitCode.UNREACHABLE
                            ? HealthExitCode.UNREACHABLE.meaning()
                            : HealthExitCode.NO_SINGLE_MASTER.meaning()));
            return before.health().exitCode();
        }
        return handOver(master.get());
    }

    private int handOver(NodeStatus from) throws NodeException {
        long start = clock.nanos();
        ObjectNode body = requestedBy.body();
        if (to != null) {
            body.put("to", to);
        }
        new NodeClient(URI.create(from.http()), timeout).post("/api/v1/cluster/switchover", body);
        Optional<NodeStatus> to = successor(from);
        while (to.isEmpty() && clock.since(start).compareTo(timeout) < 0) {
            clock.sleep(BETWEEN_LOOKS);
            to = successor(from);
        }
        long millis = clock.since(start).toMillis();
        if (to.isEmpty()) {
            err().println("No other node became master within " + millis + " ms after the request to " + from.id());
            return 1;
        }
        if (output.isDocument()) {
            output.document(
                    out(),
                    JsonNodeFactory.instance
                            .objectNode()
                            .put("from", from.id())
                            .put("to", to.get().id())
                            .put("epoch", to.get().epoch())
                            .put("tookMillis", millis));
        } else {
            out().println(from.id() + " -> " + to.get().id() + ", epoch " + from.epoch() + " -> "
                    + to.get().epoch() + ", " + millis + " ms");
        }
        return 0;
    }

    private Optional<NodeStatus> successor(NodeStatus from) {
        return nodes.status()
                .master()
                .filter(now -> now.epoch() > from.epoch() && !now.id().equals(from.id()));
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }

    private PrintWriter err() {
        return spec.commandLine().getErr();
    }
}
