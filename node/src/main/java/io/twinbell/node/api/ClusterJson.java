package io.twinbell.node.api;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.json.Instants;
import io.twinbell.persistence.cluster.FiringPauses.Pause;

/** Writes the pair as the contract shows it: each node flat, as people read it. */
final class ClusterJson {
    private ClusterJson() {}

    static ObjectNode answer(Cluster cluster) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("master", cluster.master());
        json.put("epoch", cluster.epoch());
        ArrayNode nodes = json.putArray("nodes");
        cluster.nodes().forEach(node -> node(nodes.addObject(), node));
        pause(json, cluster.pause());
        ObjectNode ready = json.putObject("failoverReady");
        ready.put("ready", cluster.failoverReady().ready());
        ArrayNode reasons = ready.putArray("reasons");
        cluster.failoverReady().reasons().forEach(reasons::add);
        ArrayNode history = json.putArray("history");
        cluster.history().forEach(event -> event(history.addObject(), event));
        return json;
    }

    static ObjectNode answer(Cluster.Node self) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        node(json, self);
        return json;
    }

    private static void node(ObjectNode json, Cluster.Node node) {
        json.put("id", node.id());
        if (node.standing() != null) {
            json.put("role", node.standing().role());
            json.put("epoch", node.standing().epoch());
            json.put("paused", node.standing().paused());
        }
        if (node.addresses() != null) {
            json.put("http", node.addresses().http());
            json.put("jmx", node.addresses().jmx());
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
        if (node.build() != null) {
            json.put("incarnation", node.build().incarnation());
            json.put("version", node.build().version());
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
        boolean hasEnd = pause.untilMillis() != Long.MAX_VALUE;
        json.putObject("pause")
                .put("since", Instants.text(pause.fromMillis()))
                .put("until", hasEnd ? Instants.text(pause.untilMillis()) : null)
                .put("reason", pause.reason())
                .put("by", pause.by());
    }

    private static void event(ObjectNode json, Cluster.RoleEvent event) {
        json.put("at", Instants.text(event.atMillis()));
        json.put("node", event.node());
        json.put("epoch", event.epoch());
        json.put("from", event.change().from());
        json.put("to", event.change().to());
        json.put("tookMillis", event.change().tookMillis());
        json.put("reason", event.reason());
        ArrayNode steps = json.putArray("steps");
        event.stepMicros()
                .forEach((step, micros) -> steps.addObject().put("step", step).put("micros", micros));
    }
}
