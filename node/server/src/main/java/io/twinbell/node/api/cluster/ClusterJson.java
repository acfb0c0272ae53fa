package io.twinbell.node.api.cluster;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.access.Principal;
import io.twinbell.node.api.cluster.PairState.PromotionTimings;
import io.twinbell.node.api.exchange.ExecutionJson;
import io.twinbell.node.api.exchange.StandingPauseJson;
import io.twinbell.node.json.Instants;
import io.twinbell.persistence.cluster.Pause;
import io.twinbell.persistence.epoch.TakeoverHold;
import java.util.List;

/** Writes the pair's state as JSON, as the OpenAPI document defines it; each node is a flat object. */
final class ClusterJson {
    /** Numbers from which a principal that is bound to apps could compute how much other apps do. */
    private static final List<String> TOTALS =
            List.of("workers", "heapSize", "slotsInDoubt", "standingPauses", "parkedRuns", "warnings");

    private ClusterJson() {}

    /** @param reader sees the pauses of its own apps, and those of tags and handlers; totals only if it sees all apps */
    static ObjectNode answer(PairState pairState, Principal reader) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("master", pairState.master());
        json.put("epoch", pairState.epoch());
        ArrayNode nodes = json.putArray("nodes");
        pairState.nodes().forEach(node -> nodes.add(answer(node, reader)));
        pause(json, pairState.pause());
        ArrayNode standing = json.putArray("standingPauses");
        pairState.standingPauses().stream()
                .filter(pause -> StandingPauseJson.isVisibleTo(reader, pause))
                .map(StandingPauseJson::of)
                .forEach(standing::add);
        hold(json, pairState.hold());
        failoverReady(json.putObject("failoverReady"), pairState.failoverReady());
        if (pairState.history() == null) {
            json.putNull("history");
        } else {
            ArrayNode history = json.putArray("history");
            pairState.history().forEach(event -> event(history.addObject(), event));
            if (reader.isBound()) {
                history.forEach(event -> ((ObjectNode) event).remove("inDoubt"));
            }
        }
        return json;
    }

    /** @param reader sees totals only if it sees all apps */
    static ObjectNode answer(PairState.Node node, Principal reader) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        node(json, node);
        return reader.isBound() ? json.remove(TOTALS) : json;
    }

    /** A disabled listener has no address. */
    private static void address(ObjectNode json, String listener, String address) {
        if (!address.isEmpty()) {
            json.put(listener, address);
        }
    }

    private static void node(ObjectNode json, PairState.Node node) {
        json.put("id", node.id());
        if (node.electionState() != null) {
            json.put("role", node.electionState().role());
            json.put("epoch", node.electionState().epoch());
            json.put("latchHeld", node.electionState().latchHeld());
            json.put("paused", node.electionState().paused());
            json.put("onHold", node.electionState().onHold());
            json.put("heldBack", node.electionState().heldBack());
        }
        if (node.addresses() != null) {
            address(json, "http", node.addresses().http());
            address(json, "jmx", node.addresses().jmx());
        }
        if (node.connections() != null) {
            json.put("zooKeeper", node.connections().zooKeeper());
            json.put("databaseReached", node.connections().databaseReached());
            json.put("heartbeatAgeMillis", node.connections().heartbeatAgeMillis());
        }
        if (node.fastTakeover() != null) {
            json.put("databaseLockHeld", node.fastTakeover().lockHeld());
            json.putObject("fastTakeover")
                    .put("armed", node.fastTakeover().armed())
                    .put("reason", node.fastTakeover().obstacle());
        }
        if (node.nodeResources() != null) {
            json.putObject("workers")
                    .put("size", node.nodeResources().workers())
                    .put("active", node.nodeResources().activeWorkers())
                    .put("queued", node.nodeResources().queuedRuns());
            json.put("heapSize", node.nodeResources().heapSize());
            json.put("clockOffsetMillis", node.nodeResources().clockOffsetMillis());
        }
        if (node.build() != null) {
            json.put("incarnation", node.build().incarnation());
            json.put("version", node.build().version());
            json.put("schema", node.build().schema());
            json.put("knownSchema", node.build().knownSchema());
        }
        if (node.firing() != null) {
            json.put("lagMillis", node.firing().lagMillis());
            json.put("notFiring", node.firing().obstacle());
            json.put("slotsInDoubt", node.firing().slotsInDoubt());
            json.put("standingPauses", node.firing().standingPauses());
            json.put("parkedRuns", node.firing().parkedRuns());
            node.firing().warnings().forEach(json.putArray("warnings")::add);
        }
        if (node.error() != null) {
            json.put("error", node.error());
        }
    }

    private static void pause(ObjectNode json, Pause pause) {
        if (pause == null) {
            json.putNull("pause");
            return;
        }
        entry(json.putObject("pause"), pause.fromMillis(), pause.untilMillis())
                .put("reason", pause.reason())
                .put("by", pause.by());
    }

    private static void hold(ObjectNode json, TakeoverHold hold) {
        if (hold == null) {
            json.putNull("hold");
            return;
        }
        entry(json.putObject("hold"), hold.sinceMillis(), hold.untilMillis())
                .put("reason", hold.reason())
                .put("by", hold.by());
    }

    private static ObjectNode entry(ObjectNode json, long sinceMillis, long untilMillis) {
        return json.put("since", Instants.text(sinceMillis))
                .put("until", untilMillis == Long.MAX_VALUE ? null : Instants.text(untilMillis));
    }

    private static void failoverReady(ObjectNode json, PairState.FailoverReady readiness) {
        json.put("ready", readiness.ready());
        ArrayNode reasons = json.putArray("reasons");
        readiness.reasons().forEach(reasons::add);
        ArrayNode notes = json.putArray("notes");
        readiness.notes().forEach(notes::add);
        PairState.Gap gap = readiness.gap();
        if (gap == null) {
            json.putNull("estimatedGap");
            return;
        }
        ObjectNode estimate = json.putObject("estimatedGap");
        estimate.put("millis", gap.millis());
        split(estimate, gap.timings());
        estimate.put("basis", gap.basis());
    }

    private static void split(ObjectNode json, PromotionTimings timings) {
        json.put("detectMillis", timings.detectMillis());
        json.put("latchMillis", timings.latchMillis());
        json.put("fenceMillis", timings.fenceMillis());
        json.put("rebuildMillis", timings.rebuildMillis());
        json.put("firstFireMillis", timings.firstFireMillis());
    }

    private static void event(ObjectNode json, PairState.RoleEvent event) {
        json.put("at", Instants.text(event.atMillis()));
        json.put("node", event.node());
        json.put("epoch", event.epoch());
        json.put("from", event.change().from());
        json.put("to", event.change().to());
        json.put("tookMillis", event.change().tookMillis());
        json.put("reason", event.reason());
        if (event.change().to().equals("MASTER")) {
            split(json.putObject("split"), PromotionTimings.of(event.stepMicros()));
        }
        ArrayNode steps = json.putArray("steps");
        event.stepMicros()
                .forEach((step, micros) -> steps.addObject().put("step", step).put("micros", micros));
        if (event.inDoubt() != null) {
            ObjectNode inDoubt =
                    json.putObject("inDoubt").put("slots", event.inDoubt().slots());
            ArrayNode executions = inDoubt.putArray("executions");
            event.inDoubt().first().forEach(slot -> executions.add(ExecutionJson.id(slot)));
        }
    }
}
