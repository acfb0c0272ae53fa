package io.twinbell.node.task.reader;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.engine.task.ContentionPolicy;
import io.twinbell.node.json.Fields;
import io.twinbell.persistence.limit.LimitKey;

/** Reads a task's priority and concurrency key. */
final class ContentionPolicyReader {
    private ContentionPolicyReader() {}

    static ContentionPolicy read(Fields fields, ObjectNode normalized) {
        Long given = fields.integer("priority", 0, 9);
        int priority = given == null ? ContentionPolicy.USUAL_PRIORITY : given.intValue();
        normalized.put("priority", priority);
        String key = fields.line("concurrencyKey", LimitKey.MAX_LENGTH);
        if (key != null && LimitKey.isReserved(key)) {
            fields.error(
                    "concurrencyKey",
                    "must not begin with " + LimitKey.PREFIXES
                            + ": these prefixes are for limits on apps, tags and handlers");
        } else if (key != null) {
            normalized.put("concurrencyKey", key);
        }
        return new ContentionPolicy(priority, key);
    }
}
