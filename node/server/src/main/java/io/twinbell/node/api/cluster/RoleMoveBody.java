package io.twinbell.node.api.cluster;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.api.exchange.PauseBody;
import io.twinbell.node.api.exchange.ReasonBody;
import io.twinbell.node.api.exchange.RequestBody;
import io.twinbell.node.json.FieldError;
import io.twinbell.node.json.Fields;
import java.util.ArrayList;
import java.util.List;

/**
 * The body of a switchover or failover request: {@code {"reason":"…","by":"…","to":"…"}}, each member optional.
 *
 * @param reason null if none was given
 * @param by who asked; null if not given
 * @param to the node that should become master; null for the current standby
 * @param force whether a live master loses the role too; only for a failover
 */
public record RoleMoveBody(String reason, String by, String to, boolean force) {
    static RoleMoveBody switchover(ObjectNode body) {
        return of(body, false);
    }

    static RoleMoveBody failover(ObjectNode body) {
        return of(body, true);
    }

    private static RoleMoveBody of(ObjectNode body, boolean mayForce) {
        List<FieldError> errors = new ArrayList<>();
        Fields fields = Fields.of(body, "", errors);
        String reason = fields.line("reason", ReasonBody.MAX_LENGTH);
        String by = fields.line("by", PauseBody.MAX_NAME);
        String to = fields.line("to", PauseBody.MAX_NAME);
        boolean force = mayForce && Boolean.TRUE.equals(fields.bool("force"));
        RequestBody.end(fields, errors);
        return new RoleMoveBody(reason, by, to, force);
    }
}
