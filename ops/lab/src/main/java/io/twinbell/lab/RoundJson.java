package io.twinbell.lab;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.lab.stage.DrillEvent;
import io.twinbell.lab.stage.RoleAssignment;
import io.twinbell.tools.check.Violation;
import io.twinbell.tools.check.history.LedgerRow.State;
import io.twinbell.tools.check.history.SlotTotals;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

/** Renders a drill's result as JSON. */
final class RoundJson {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private RoundJson() {}

    static ObjectNode of(DrillSummary summary) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("drill", summary.drill()).put("passed", summary.passed());
        json.put("tookSeconds", summary.took().toSeconds());
        summary.brokenOff().forEach(json.putArray("brokenOff")::add);
        summary.skipped().forEach(json.putArray("skipped")::add);
        ObjectNode gaps = json.putObject("gapMillis");
        summary.gaps().forEach((fault, gap) -> gaps.set(fault, lateness(gap)));
        ObjectNode reruns = json.putObject("rerunMillis");
        summary.reruns().forEach((fault, rerun) -> reruns.set(fault, lateness(rerun)));
        ArrayNode rounds = json.putArray("rounds");
        summary.rounds().forEach(round -> rounds.add(of(round)));
        return json;
    }

    static ObjectNode of(RoundResult round) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("passed", round.passed());
        json.put("fault", round.scene().fault());
        json.put("master", round.roles().master()).put("standby", round.roles().standby());
        json.put("epochBefore", round.roles().epoch()).put("epoch", round.epoch());
        double load = round.scene().load();
        json.put("loadAverage", load < 0 ? null : (Double) load);
        json.put("evidence", round.scene().directory().toString());
        marks(json, round.scene().marks());
        ObjectNode takeover = json.putObject("millisAfterFault");
        takeover.put("latch", number(round.gap().takeover().latch()));
        takeover.put("epoch", number(round.gap().takeover().epoch()));
        takeover.put("firstCall", number(round.gap().takeover().call()));
        json.set("rerunMillis", lateness(round.gap().rerunDelay().summary()));
        json.put("silenceMillis", number(round.gap().silence()));
        ObjectNode lates = json.putObject("latenessMillis");
        lates.set("before", lateness(round.lateness().before()));
        lates.set("backlog", lateness(round.lateness().backlog()));
        lates.set("after", lateness(round.lateness().after()));
        json.set("slots", slots(round.totals()));
        ArrayNode offences = json.putArray("offences");
        round.violations().forEach(violation -> offences.add(of(violation)));
        return json;
    }

    /** The result of a round that was broken off: it has not passed, and nothing was checked. */
    static ObjectNode brokenOff(String fault, RoleAssignment roles, List<DrillEvent> marks, String why) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("passed", false).put("brokenOff", why).put("fault", fault);
        json.put("master", roles.master()).put("standby", roles.standby()).put("epochBefore", roles.epoch());
        marks(json, marks);
        return json;
    }

    static JsonNode read(Path result) throws IOException {
        return MAPPER.readTree(result.toFile());
    }

    private static void marks(ObjectNode json, List<DrillEvent> marks) {
        ArrayNode array = json.putArray("marks");
        marks.forEach(event -> array.addObject()
                .put("atMicros", event.atMicros())
                .put("doneMicros", event.doneMicros())
                .put("what", event.what())
                .put("strikes", event.strikes()));
    }

    private static ObjectNode slots(SlotTotals totals) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("owed", totals.owed());
        for (State state : State.values()) {
            json.put(state.name(), totals.ended(state));
        }
        json.put("inFlightAtFault", totals.settled());
        json.put("rerunsSkipped", totals.settledAndSkipped());
        json.put("calledAgain", totals.calledAgain());
        return json.put("attemptsCalledTwice", totals.calledTwice());
    }

    private static ObjectNode of(Violation violation) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("rule", violation.rule().name());
        if (violation.slot() != null) {
            json.put("taskId", violation.slot().taskId());
            json.put("fireMillis", violation.slot().fireMillis());
        }
        return json.put("detail", violation.detail());
    }

    /** Null for values that were not measured, because JSON has no such number. */
    private static ObjectNode lateness(Lateness lateness) {
        return lateness.isNone()
                ? null
                : JsonNodeFactory.instance
                        .objectNode()
                        .put("p50", lateness.p50())
                        .put("p99", lateness.p99())
                        .put("max", lateness.max());
    }

    private static Long number(OptionalLong millis) {
        return millis.isPresent() ? Long.valueOf(millis.getAsLong()) : null;
    }
}
