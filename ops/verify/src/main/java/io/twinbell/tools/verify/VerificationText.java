package io.twinbell.tools.verify;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.tools.check.Violation;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Renders a verification result, for people and for programs. */
public final class VerificationText {
    private VerificationText() {}

    public static List<String> lines(VerificationResult verdict) {
        VerificationResult.Figures figures = verdict.figures();
        List<String> lines = new ArrayList<>();
        lines.add("span      " + Instant.ofEpochMilli(verdict.sinceMillis()) + " to "
                + Instant.ofEpochMilli(verdict.untilMillis()));
        lines.add("tasks     " + figures.whole() + " verified, " + figures.partly() + " in part, " + figures.none()
                + " not");
        verdict.unverified().forEach(remark -> lines.add("          " + remark));
        lines.add("ledger    " + figures.rows() + " rows for " + figures.slots() + " slots, " + figures.underWay()
                + " under way");
        inDoubt(verdict.inDoubt(), lines);
        verdict.violations().forEach(violation -> lines.add("violation " + violation));
        if (verdict.violationCount() > verdict.violations().size()) {
            lines.add("          and "
                    + (verdict.violationCount() - verdict.violations().size()) + " more");
        }
        verdict.violationsByRule()
                .forEach((rule, count) -> lines.add("          " + count + " x " + rule + ": " + rule.meaning()));
        lines.add("verdict   " + (verdict.isSound() ? "SOUND" : "VIOLATED, violations: " + verdict.violationCount()));
        return lines;
    }

    private static void inDoubt(VerificationResult.InDoubt inDoubt, List<String> lines) {
        if (inDoubt.slots() == 0) {
            return;
        }
        lines.add("in doubt  " + inDoubt.slots()
                + " slots may have run on a primary that was lost together with its master");
        inDoubt.named().forEach(row -> lines.add("          " + row));
        if (inDoubt.slots() > inDoubt.named().size()) {
            lines.add("          'twinbell executions --in-doubt' lists them all");
        }
    }

    public static ObjectNode json(VerificationResult verdict) {
        ObjectNode json = new ObjectMapper().createObjectNode();
        json.put("verdict", verdict.isSound() ? "SOUND" : "WOUNDED");
        json.put("since", Instant.ofEpochMilli(verdict.sinceMillis()).toString());
        json.put("until", Instant.ofEpochMilli(verdict.untilMillis()).toString());
        VerificationResult.Figures figures = verdict.figures();
        json.putObject("tasks")
                .put("verified", figures.whole())
                .put("inPart", figures.partly())
                .put("not", figures.none());
        ArrayNode unverified = json.putArray("unverified");
        verdict.unverified().forEach(unverified::add);
        json.put("rows", figures.rows());
        json.put("slots", figures.slots());
        json.put("underWay", figures.underWay());
        ObjectNode inDoubt =
                json.putObject("inDoubt").put("slots", verdict.inDoubt().slots());
        ArrayNode named = inDoubt.putArray("named");
        verdict.inDoubt().named().forEach(named::add);
        json.put("woundCount", verdict.violationCount());
        ObjectNode rules = json.putObject("woundsByRule");
        verdict.violationsByRule().forEach((rule, count) -> rules.put(rule.name(), count));
        ArrayNode wounds = json.putArray("wounds");
        verdict.violations().forEach(violation -> violation(wounds.addObject(), violation));
        return json;
    }

    private static void violation(ObjectNode json, Violation violation) {
        json.put("rule", violation.rule().name());
        json.put("meaning", violation.rule().meaning());
        if (violation.slot() != null) {
            json.put(
                    "execution",
                    violation.slot().taskId() + "-" + violation.slot().fireMillis());
            json.put("taskId", violation.slot().taskId());
            json.put(
                    "fireTime",
                    Instant.ofEpochMilli(violation.slot().fireMillis()).toString());
        }
        json.put("detail", violation.detail());
    }
}
