package io.twinbell.node.task.reader;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.engine.task.Overlap;
import io.twinbell.node.json.Fields;

/** Reads a task's overlap policy: a text, or an object for a longer queue. */
final class OverlapReader {
    private static final int LONGEST_QUEUE = 1000;

    private OverlapReader() {}

    /** @param queueMax the maximum number of waiting slots; 0 unless the policy is QUEUE */
    record ParsedOverlap(Overlap overlap, int queueMax) {}

    static ParsedOverlap read(Fields fields, ObjectNode normalized) {
        JsonNode given = fields.json("overlap");
        ParsedOverlap parsedOverlap =
                given != null && given.isObject() ? members(fields.object("overlap")) : text(fields);
        if (parsedOverlap.queueMax() > 1) {
            normalized
                    .putObject("overlap")
                    .put("policy", parsedOverlap.overlap().name())
                    .put("max", parsedOverlap.queueMax());
        } else {
            normalized.put("overlap", parsedOverlap.overlap().name());
        }
        return parsedOverlap;
    }

    private static ParsedOverlap text(Fields fields) {
        Overlap overlap = fields.choice("overlap", Overlap.class, Overlap.SKIP);
        return new ParsedOverlap(overlap, overlap == Overlap.QUEUE ? 1 : 0);
    }

    private static ParsedOverlap members(Fields given) {
        Overlap overlap = given.choice("policy", Overlap.class, Overlap.SKIP);
        Long max = given.integer("max", 1, LONGEST_QUEUE);
        given.refuseUnknown();
        if (overlap != Overlap.QUEUE) {
            if (max != null) {
                given.error("max", "is allowed with QUEUE only");
            }
            return new ParsedOverlap(overlap, 0);
        }
        return new ParsedOverlap(overlap, max == null ? 1 : max.intValue());
    }
}
