package io.twinbell.node.task;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.json.Fields;
import java.util.List;

/**
 * The fields of the contract whose meaning comes later. Their documented defaults are accepted; anything else is
 * refused, because a policy that is ignored is worse than one that is missing.
 */
final class Deferred {
    private static final String NOT_YET = "is not supported yet";
    private static final int PRIORITY = 5;
    private static final int MAX_ATTEMPTS = 1;

    private Deferred() {}

    static Overlap overlap(Fields fields) {
        JsonNode given = fields.json("overlap");
        if (given != null && List.of("QUEUE", "CANCEL_RUNNING").contains(given.asText())) {
            fields.error("overlap", given.asText() + " " + NOT_YET);
            return Overlap.SKIP;
        }
        return fields.choice("overlap", Overlap.class, Overlap.SKIP);
    }

    static void refuse(Fields fields) {
        refuse(fields, "concurrencyKey");
        Long priority = fields.integer("priority", 0, 9);
        if (priority != null && priority != PRIORITY) {
            fields.error("priority", "other than " + PRIORITY + " " + NOT_YET);
        }
        Fields retry = fields.object("retry");
        if (retry != null) {
            Long attempts = retry.integer("maxAttempts", 1, 1000);
            if (attempts != null && attempts != MAX_ATTEMPTS) {
                retry.error("maxAttempts", "other than " + MAX_ATTEMPTS + " " + NOT_YET);
            }
            refuse(retry, "backoff", "multiplier", "maxBackoff", "jitter");
            retry.refuseOthers();
        }
    }

    static void refuseInMisfire(Fields misfire) {
        JsonNode policy = misfire.json("policy");
        if (policy != null && List.of("SKIP", "FIRE_ALL").contains(policy.asText())) {
            misfire.error("policy", policy.asText() + " " + NOT_YET);
        } else if (policy != null && !policy.asText().equals("FIRE_ONCE")) {
            misfire.error("policy", "must be FIRE_ONCE");
        }
        refuse(misfire, "max");
        misfire.refuseOthers();
    }

    static void writeDefaults(ObjectNode normalized) {
        normalized.put("priority", PRIORITY);
        normalized.putObject("retry").put("maxAttempts", MAX_ATTEMPTS);
    }

    private static void refuse(Fields fields, String... names) {
        for (String name : names) {
            if (fields.json(name) != null) {
                fields.error(name, NOT_YET);
            }
        }
    }
}
