package io.twinbell.lab.fault;

import io.twinbell.lab.stage.DrillStage;
import io.twinbell.tools.client.NodeClient;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Measures how soon a frozen master that was superseded is a standby that could take over.
 *
 * @param standbyMillis from its resumption until it reports the role of standby
 * @param lineMillis from its resumption until it has an election entry again
 */
public record RejoinCheck(long standbyMillis, long lineMillis) {
    private static final Duration STANDBY_WITHIN = Duration.ofSeconds(2);
    /**
     * The limit for the standby role, plus one second until ZooKeeper's client reconnects, two until a broken session
     * state is detected and repaired, and two during which the owner may enter first.
     */
    private static final Duration LINE_WITHIN = STANDBY_WITHIN.plusSeconds(1 + 2 + 2);

    private static final Duration POLL_INTERVAL = Duration.ofMillis(20);
    private static final Duration ANSWER = Duration.ofSeconds(1);

    /** Must be called right after the node was resumed. */
    public static void expect(DrillStage stage, String node) throws DrillException, IOException {
        NodeClient client = stage.pair().client(node, ANSWER);
        stage.poll()
                .until(
                        "node " + node + " is a standby",
                        POLL_INTERVAL,
                        () -> client.get("/api/v1/cluster/self")
                                .path("role")
                                .asText()
                                .equals("STANDBY"));
        long standbyMillis = stage.millisSinceHealing();
        ElectionCheck.awaitBothNodes(stage);
        RejoinCheck rejoinCheck = new RejoinCheck(standbyMillis, stage.millisSinceHealing());
        stage.print("node " + node + " was a standby after " + rejoinCheck.standbyMillis()
                + " ms, and took part in the election after " + rejoinCheck.lineMillis() + " ms");
        rejoinCheck.complaints(node).forEach(complaint -> stage.expect(false, complaint));
    }

    List<String> complaints(String node) {
        List<String> complaints = new ArrayList<>();
        if (standbyMillis > STANDBY_WITHIN.toMillis()) {
            complaints.add("node " + node + " was a standby again only after " + standbyMillis + " ms");
        }
        if (lineMillis > LINE_WITHIN.toMillis()) {
            complaints.add("node " + node + " took part in the election again only after " + lineMillis + " ms");
        }
        return complaints;
    }
}
