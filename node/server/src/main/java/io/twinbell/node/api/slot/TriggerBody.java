package io.twinbell.node.api.slot;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.access.Permission;
import io.twinbell.node.access.Principal;
import io.twinbell.node.api.exchange.ProblemException;
import io.twinbell.node.api.exchange.ProblemType;
import io.twinbell.node.api.exchange.ReasonBody;
import io.twinbell.node.api.exchange.RequestBody;
import io.twinbell.node.execution.store.ExecutionQueries.ManualRun;
import io.twinbell.node.json.FieldError;
import io.twinbell.node.json.Fields;
import io.twinbell.node.json.InvalidJsonException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Reads the body of a trigger request: {@code {"reason":"…","data":…}}, each member optional. */
public final class TriggerBody {
    private static final int MAX_DATA_BYTES = 64 * 1024;

    private TriggerBody() {}

    /**
     * Reads the body of a request.
     *
     * @param principal must be permitted to change tasks, if the run has data of its own
     */
    public static ManualRun read(ObjectNode body, Principal principal) {
        ManualRun run = read(body);
        if (run.data() != null && !principal.may(Permission.EDIT)) {
            throw new ProblemException(
                    ProblemType.NOT_PERMITTED,
                    "a run with other data needs the permission \"" + Permission.EDIT.word() + "\"; " + principal.name()
                            + " has the role " + principal.role().word());
        }
        return run;
    }

    /** @throws InvalidJsonException if a member is invalid or unknown */
    public static ManualRun read(ObjectNode body) {
        List<FieldError> errors = new ArrayList<>();
        Fields fields = Fields.of(body, "", errors);
        String reason = fields.line("reason", ReasonBody.MAX_LENGTH);
        JsonNode data = fields.json("data");
        String text = data == null ? null : data.toString();
        if (text != null && text.getBytes(StandardCharsets.UTF_8).length > MAX_DATA_BYTES) {
            fields.error("data", "has more than " + MAX_DATA_BYTES + " bytes");
        }
        RequestBody.end(fields, errors);
        return new ManualRun(reason == null ? "triggered" : "triggered: " + reason, text);
    }
}
