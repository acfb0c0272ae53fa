package io.twinbell.ops.drill;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.ops.check.Accounts;
import io.twinbell.ops.check.LedgerRow.State;
import io.twinbell.ops.check.Offence;
import io.twinbell.ops.drill.stage.Cast;
import io.twinbell.ops.drill.stage.Mark;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

/** A drill's result, for programs. */
final class RoundJson {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private RoundJson() {}

    static ObjectNode of(Summary summary) {
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

    static ObjectNode of(Round round) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("passed", round.passed());
        json.put("fault", round.scene().fault());
        json.put("master", round.cast().master()).put("standby", round.cast().standby());
        json.put("epochBefore", round.cast().epoch()).put("epoch", round.epoch());
        json.put("loadAverage", round.scene().load());
        json.put("evidence", round.scene().directory().toString());
        marks(json, round.scene().marks());
        ObjectNode takeover = json.putObject("millisAfterFault");
        takeover.put("latch", number(round.gap().takeover().latch()));
        takeover.put("epoch", number(round.gap().takeover().epoch()));
        takeover.put("firstCall", number(round.gap().takeover().call()));
        json.set("rerunMillis", lateness(round.gap().reruns().summary()));
        json.put("silenceMillis", number(round.gap().silence()));
        ObjectNode lates = json.putObject("latenessMillis");
        lates.set("before", lateness(round.lates().before()));
        lates.set("backlog", lateness(round.lates().backlog()));
        lates.set("after", lateness(round.lates().after()));
        json.set("slots", slots(round.accounts()));
        ArrayNode offences = json.putArray("offences");
        round.offences().forEach(offence -> offences.add(of(offence)));
        return json;
    }

    /** Of a round that did not come to its end: it has not passed, and nothing was judged. */
    static ObjectNode brokenOff(String fault, Cast cast, List<Mark> marks, String why) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("passed", false).put("brokenOff", why).put("fault", fault);
        json.put("master", cast.master()).put("standby", cast.standby()).put("epochBefore", cast.epoch());
        marks(json, marks);
        return json;
    }

    static JsonNode read(Path result) throws IOException {
        return MAPPER.readTree(result.toFile());
    }

    private static void marks(ObjectNode json, List<Mark> marks) {
        ArrayNode array = json.putArray("marks");
        marks.forEach(mark -> array.addObject()
                .put("atMicros", mark.atMicros())
                .put("doneMicros", mark.doneMicros())
                .put("what", mark.what())
                .put("strikes", mark.strikes()));
    }

    private static ObjectNode slots(Accounts accounts) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("owed", accounts.owed());
        for (State state : State.values()) {
            json.put(state.name(), accounts.ended(state));
        }
        json.put("inFlightAtFault", accounts.settled());
        json.put("rerunsSkipped", accounts.settledAndSkipped());
        json.put("calledAgain", accounts.calledAgain());
        return json.put("attemptsCalledTwice", accounts.calledTwice());
    }

    private static ObjectNode of(Offence offence) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("rule", offence.rule().name());
        if (offence.slot() != null) {
            json.put("taskId", offence.slot().taskId());
            json.put("fireMillis", offence.slot().fireMillis());
        }
        return json.put("detail", offence.detail());
    }

    /** Null where nothing was measured: JSON has no number for that. */
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
