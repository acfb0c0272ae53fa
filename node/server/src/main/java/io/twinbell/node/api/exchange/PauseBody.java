package io.twinbell.node.api.exchange;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.json.FieldError;
import io.twinbell.node.json.Fields;
import io.twinbell.persistence.clock.DatabaseClock;
import io.twinbell.persistence.task.TaskPause;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * The body of a request to pause firing or to hold automatic takeover: {@code {"reason":"…","by":"…","until":"…"}},
 * each member optional.
 *
 * @param reason null if none was given
 * @param by who asked; null if not given
 */
public record PauseBody(String reason, String by, OptionalLong untilMillis) {
    public static final int MAX_NAME = 200;

    public static PauseBody of(ObjectNode body, DatabaseClock clock) {
        List<FieldError> errors = new ArrayList<>();
        Fields fields = Fields.of(body, "", errors);
        String reason = fields.line("reason", ReasonBody.MAX_LENGTH);
        String by = fields.line("by", MAX_NAME);
        Long until = fields.instant("until");
        if (until != null && until <= clock.nowMillis()) {
            fields.error("until", "must be later than now");
        }
        RequestBody.end(fields, errors);
        return new PauseBody(reason, by, until == null ? OptionalLong.empty() : OptionalLong.of(until));
    }

    public TaskPause pause() {
        return new TaskPause(by, untilMillis);
    }
}
