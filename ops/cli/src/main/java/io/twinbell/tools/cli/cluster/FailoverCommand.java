package io.twinbell.tools.cli.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.tools.cli.option.NodeAddresses;
import io.twinbell.tools.cli.option.RequestedBy;
import io.twinbell.tools.client.HealthExitCode;
import io.twinbell.tools.client.NodeClient;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.client.NodeStatus;
import io.twinbell.tools.client.PairSnapshot;
import io.twinbell.tools.terminal.CommandOutput;
import java.io.Console;
import java.net.URI;
import java.time.Duration;
import java.util.Comparator;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command {@code twinbell failover}: takes the role from a lost master, or by force from a living one. */
@Command(
        name = "failover",
        description = "Ends the ZooKeeper session with which the master holds the latch, so that the standby is"
                + " promoted. It is refused while ZooKeeper does not answer, and while the master is alive unless"
                + " --force is given. To move the role in order, use switchover.",
        exitCodeList = {"0:the role has moved", "1:refused, or not confirmed", "2:wrong usage", "3:no node answers"},
        footer = {"  twinbell failover", "  twinbell failover --force --reason \"a hangs\" --yes"})
public final class FailoverCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private NodeAddresses nodes;

    @Mixin
    private RequestedBy requestedBy;

    @Option(
            names = "--force",
            description = "Take the role even if the master is alive, for instance because it hangs.")
    private boolean force;

    @Option(names = "--to", paramLabel = "NODE", description = "The node that should be master. Default: the standby.")
    private String to;

    @Option(names = "--yes", description = "Do not ask for confirmation. Without a terminal, the command does not ask.")
    private boolean yes;

    @Option(names = "--timeout", defaultValue = "PT30S", description = "Time limit. Default: ${DEFAULT-VALUE}.")
    private Duration timeout;

    @Mixin
    private CommandOutput output;

    private final Predicate<String> confirmation;

    FailoverCommand() {
        this(FailoverCommand::isConfirmed);
    }

    /** @param confirmation asks a person the question */
    public FailoverCommand(Predicate<String> confirmation) {
        this.confirmation = confirmation;
    }

    /** Asks only at a terminal. A command in a script counts as confirmed. */
    private static boolean isConfirmed(String question) {
        Console console = System.console();
        return console == null || "yes".equals(console.readLine("%s Type yes to continue: ", question));
    }

    @Override
    public Integer call() throws NodeException {
        PairSnapshot before = nodes.status();
        Optional<NodeStatus> asked = before.nodes().stream()
                .filter(NodeStatus::isReachable)
                .min(Comparator.comparing(node -> !node.isStandby()));
        if (asked.isEmpty()) {
            spec.commandLine().getErr().println(HealthExitCode.UNREACHABLE.meaning());
            return HealthExitCode.UNREACHABLE.exitCode();
        }
        if (!yes && !confirmation.test(question(before))) {
            spec.commandLine().getErr().println("Nothing was done");
            return 1;
        }
        ObjectNode body = requestedBy.body().put("force", force);
        if (to != null) {
            body.put("to", to);
        }
        // Sent once: a repeated request would concern the master that the first one created.
        JsonNode done = new NodeClient(URI.create(asked.get().http()), timeout).post("/api/v1/cluster/failover", body);
        if (output.isDocument()) {
            output.document(spec.commandLine().getOut(), done);
            return 0;
        }
        spec.commandLine()
                .getOut()
                .println(done.path("from").asText() + " -> " + done.path("to").asText() + ", epoch "
                        + done.path("epoch").asLong() + ", "
                        + done.path("tookMillis").asLong() + " ms");
        return 0;
    }

    private static String question(PairSnapshot before) {
        String master = before.master()
                .map(node -> "Node " + node.id() + " reports that it is master, epoch " + node.epoch() + ".")
                .orElse("No node that answers is master.");
        return master + " Executions of the old master are settled by their tasks' orphan policies.";
    }
}
