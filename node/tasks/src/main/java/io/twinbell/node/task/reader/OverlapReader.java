package io.twinbell.node.task.reader;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.engine.task.Overlap;
import io.twinbell.node.json.Fields;

/** Reads a task's overlap policy: a text, or an object for a longer queue. */
final class OverlapReader {
    private static final String NAME = TaskMembers.OVERLAP.name();

    private OverlapReader() {}

    /** @param queueMax the maximum number of waiting slots; 0 unless the policy is QUEUE */
    record ParsedOverlap(Overlap overlap, int queueMax) {}

    static ParsedOverlap read(Fields fields, ObjectNode normalized) {
        JsonNode given = fields.json(NAME);
        ParsedOverlap parsedOverlap = given != null && given.isObject() ? members(fields.object(NAME)) : text(fields);
        if (parsedOverlap.queueMax() > 1) {
            normalized
                    .putObject(NAME)
                    .put("policy", parsedOverlap.overlap().name())
                    .put("max", parsedOverlap.queueMax());
        } else {
            normalized.put(NAME, parsedOverlap.overlap().name());
        }
        return parsedOverlap;
    }

    private static ParsedOverlap text(Fields fields) {
        Overlap overlap = fields.choice(NAME, Overlap.class, TaskMembers.OVERLAP_POLICY.standard());
        return new ParsedOverlap(overlap, overlap == Overlap.QUEUE ? 1 : 0);
    }

    private static ParsedOverlap members(Fields given) {
        Overlap overlap = TaskMembers.OVERLAP_POLICY.read(given);
        Long max = TaskMembers.OVERLAP_MAX.given(given);
        given.refuseUnknown();
        if (overlap != Overlap.QUEUE) {
            if (max != null) {
                given.error("max", "is allowed with QUEUE only");
            }
            return new ParsedOverlap(overlap, 0);
        }
        return new ParsedOverlap(overlap, (max == null ? TaskMembers.OVERLAP_MAX.standard() : max).intValue());
    }
}
