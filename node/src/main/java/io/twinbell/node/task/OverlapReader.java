package io.twinbell.node.task;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.json.Fields;

/** Reads a task's overlap policy: a text, or an object for a longer queue. */
final class OverlapReader {
    private static final int LONGEST_QUEUE = 1000;

    private OverlapReader() {}

    /** @param queueMax the maximum number of waiting slots; 0 unless the policy is QUEUE */
    record Read(Overlap overlap, int queueMax) {}

    static Read read(Fields fields, ObjectNode normalized) {
        JsonNode given = fields.json("overlap");
        Read read = given != null && given.isObject() ? members(fields.object("overlap")) : text(fields);
        if (read.queueMax() > 1) {
            normalized.putObject("overlap").put("policy", read.overlap().name()).put("max", read.queueMax());
        } else {
            normalized.put("overlap", read.overlap().name());
        }
        return read;
    }

    private static Read text(Fields fields) {
        Overlap overlap = fields.choice("overlap", Overlap.class, Overlap.SKIP);
        return new Read(overlap, overlap == Overlap.QUEUE ? 1 : 0);
    }

    private static Read members(Fields given) {
        Overlap overlap = given.choice("policy", Overlap.class, Overlap.SKIP);
        Long max = given.integer("max", 1, LONGEST_QUEUE);
        given.refuseOthers();
        if (overlap != Overlap.QUEUE) {
            if (max != null) {
                given.error("max", "is only for QUEUE");
            }
            return new Read(overlap, 0);
        }
        return new Read(overlap, max == null ? 1 : max.intValue());
    }
}
