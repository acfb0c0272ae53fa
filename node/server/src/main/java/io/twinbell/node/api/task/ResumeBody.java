package io.twinbell.node.api.task;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.api.exchange.ReasonBody;
import io.twinbell.node.api.exchange.RequestBody;
import io.twinbell.node.json.FieldError;
import io.twinbell.node.json.Fields;
import io.twinbell.node.task.CatchUp;
import java.util.ArrayList;
import java.util.List;

/**
 * The body of a resume request: {@code {"reason":"…","catchUp":"ALL","max":20}}, each member optional.
 *
 * @param reason null if none was given
 * @param caughtUp the number of slots of each task that run although they passed during the pause
 */
record ResumeBody(String reason, int caughtUp) {
    /** @param most the greatest {@code max} that a request may name */
    static ResumeBody of(ObjectNode body, int most) {
        List<FieldError> errors = new ArrayList<>();
        Fields fields = Fields.of(body, "", errors);
        String reason = fields.line("reason", ReasonBody.MAX_LENGTH);
        CatchUp catchUp = fields.choice("catchUp", CatchUp.class, CatchUp.NONE);
        Long max = fields.integer("max", 1, most);
        if (max != null && catchUp != CatchUp.ALL) {
            fields.error("max", "is for \"catchUp\":\"ALL\"");
        }
        RequestBody.end(fields, errors);
        return new ResumeBody(reason, catchUp.slots(max == null ? Math.min(CatchUp.USUAL_MAX, most) : max.intValue()));
    }
}
