package io.twinbell.node.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.json.FieldError;
import io.twinbell.node.json.Fields;
import io.twinbell.node.json.InvalidJsonException;
import java.util.ArrayList;
import java.util.List;

/**
 * That the role should move, why, who says so, and where to: {@code {"reason":"…","by":"…","to":"…"}}, each optional.
 *
 * @param reason null if none was given
 * @param by null if nobody was named
 * @param to the node that should be master; null for whichever stands by
 * @param force whether a master that lives is to lose the role, of a failover alone
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
        String reason = fields.line("reason", Reason.MAX_LENGTH);
        String by = fields.line("by", PauseBody.MAX_NAME);
        String to = fields.line("to", PauseBody.MAX_NAME);
        boolean force = mayForce && Boolean.TRUE.equals(fields.bool("force"));
        fields.refuseOthers();
        if (!errors.isEmpty()) {
            throw new InvalidJsonException(errors);
        }
        return new RoleMoveBody(reason, by, to, force);
    }
}
