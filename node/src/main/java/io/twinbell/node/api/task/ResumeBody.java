package io.twinbell.node.api.task;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.api.exchange.ReasonBody;
import io.twinbell.node.json.FieldError;
import io.twinbell.node.json.Fields;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.task.CatchUp;
import java.util.ArrayList;
import java.util.List;

/** Reads the body of a resume request: {@code {"reason":"…","catchUp":"ALL","max":20}}, each member optional. */
final class ResumeBody {
    private ResumeBody() {}

    /**
     * Returns the number of slots of each task that run although they passed during the pause.
     *
     * @param most the greatest {@code max} that a request may name
     */
    static int caughtUp(ObjectNode body, int most) {
        List<FieldError> errors = new ArrayList<>();
        Fields fields = Fields.of(body, "", errors);
        fields.line("reason", ReasonBody.MAX_LENGTH);
        CatchUp catchUp = fields.choice("catchUp", CatchUp.class, CatchUp.NONE);
        Long max = fields.integer("max", 1, most);
        if (max != null && catchUp != CatchUp.ALL) {
            fields.error("max", "is for \"catchUp\":\"ALL\"");
        }
        fields.refuseUnknown();
        if (!errors.isEmpty()) {
            throw new InvalidJsonException(errors);
        }
        return catchUp.slots(max == null ? Math.min(CatchUp.USUAL_MAX, most) : max.intValue());
    }
}
