package io.twinbell.node.task;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.json.Fields;

/**
 * The fields of the contract whose meaning comes later. Their documented defaults are accepted; anything else is
 * refused, because a policy that is ignored is worse than one that is missing.
 */
final class Deferred {
    private static final String NOT_YET = "is not supported yet";
    private static final int PRIORITY = 5;

    private Deferred() {}

    static void refuse(Fields fields) {
        refuse(fields, "concurrencyKey");
        Long priority = fields.integer("priority", 0, 9);
        if (priority != null && priority != PRIORITY) {
            fields.error("priority", "other than " + PRIORITY + " " + NOT_YET);
        }
    }

    static void writeDefaults(ObjectNode normalized) {
        normalized.put("priority", PRIORITY);
    }

    private static void refuse(Fields fields, String... names) {
        for (String name : names) {
            if (fields.json(name) != null) {
                fields.error(name, NOT_YET);
            }
        }
    }
}
