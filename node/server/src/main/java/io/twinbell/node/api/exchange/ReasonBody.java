package io.twinbell.node.api.exchange;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.json.FieldError;
import io.twinbell.node.json.Fields;
import java.util.ArrayList;
import java.util.List;

/** Reads the body of a request that gives only a reason: {@code {"reason":"…"}}. */
public final class ReasonBody {
    public static final int MAX_LENGTH = 500;

    /** The query parameter of requests that have no body. */
    public static final String PARAMETER = "reason";

    private ReasonBody() {}

    /** @return null if none was given */
    public static String of(ObjectNode body) {
        List<FieldError> errors = new ArrayList<>();
        Fields fields = Fields.of(body, "", errors);
        String reason = fields.line("reason", MAX_LENGTH);
        RequestBody.end(fields, errors);
        return reason;
    }
}
