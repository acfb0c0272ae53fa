package io.twinbell.ops.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.ops.client.NodeException;
import io.twinbell.ops.client.Pace;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** For maintenance: the role stays where it is, whatever becomes of the master. */
@Command(
        name = "hold",
        mixinStandardHelpOptions = true,
        description = "Puts automatic takeover on hold: if the master dies, nobody fires until it is back, the hold is"
                + " released or over, or somebody asks for switchover or failover. Already on hold, it is so for the new"
                + " reason and end.")
final class HoldCommand implements Callable<Integer> {
    private static final Duration WRITE = Duration.ofSeconds(10);

    @Spec
    private CommandSpec spec;

    @Mixin
    private Pair pair;

    @Mixin
    private Asker asker;

    @ArgGroup
    private End end;

    private static final class End {
        @Option(
                names = "--for",
                paramLabel = "DURATION",
                description = "How long, such as PT2H. Default: until released.")
        private Duration duration;

        @Option(names = "--until", paramLabel = "INSTANT", description = "Until when, such as 2026-12-24T18:00:00Z.")
        private Instant instant;

        Instant instant() {
            return instant != null
                    ? instant
                    : Instant.EPOCH
                            .plus(new Pace().wallMicros(), ChronoUnit.MICROS)
                            .plus(duration);
        }
    }

    @Override
    public Integer call() throws NodeException {
        ObjectNode body = asker.body();
        if (end != null) {
            body.put("until", end.instant().truncatedTo(ChronoUnit.MILLIS).toString());
        }
        JsonNode cluster = pair.repeatable(WRITE, node -> node.post("/api/v1/cluster/hold", body));
        spec.commandLine().getOut().println(line(cluster.path("hold")));
        return 0;
    }

    /** A hold as people read it. */
    static String line(JsonNode hold) {
        return "automatic takeover is on hold since " + hold.path("since").asText() + " by "
                + hold.path("by").asText() + ": " + hold.path("reason").asText() + ", until "
                + (hold.hasNonNull("until") ? hold.path("until").asText() : "it is released");
    }
}
