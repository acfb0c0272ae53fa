package io.twinbell.node.api.execution;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.javalin.http.Context;
import io.twinbell.node.access.FailedAttempts;
import io.twinbell.node.api.exchange.AccessRule;
import io.twinbell.node.api.exchange.ApiPaths;
import io.twinbell.node.api.exchange.ExecutionJson;
import io.twinbell.node.api.exchange.ProblemException;
import io.twinbell.node.api.exchange.ProblemType;
import io.twinbell.node.api.exchange.RequestBody;
import io.twinbell.node.api.exchange.ResponseWriter;
import io.twinbell.node.api.exchange.Route;
import io.twinbell.node.api.server.ResponseSender;
import io.twinbell.node.engine.handler.CallbackToken;
import io.twinbell.node.engine.handler.ErrorCodes;
import io.twinbell.node.engine.handler.TextLimit;
import io.twinbell.node.execution.store.Callbacks;
import io.twinbell.node.json.FieldError;
import io.twinbell.node.json.Fields;
import io.twinbell.node.json.Instants;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.ledger.callback.CallbackStore.CallbackAnswer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.regex.Pattern;

/**
 * Routes for the receivers of parked executions. They need no principal: the token of the attempt is the right to
 * answer it, and gives no other right.
 */
public final class CallbackRoutes {
    static final String TOKEN = "Twinbell-Callback-Token";

    private static final String EXECUTION = ApiPaths.EXECUTIONS + "/{id}";
    private static final Pattern CODE = Pattern.compile("[A-Z][A-Z0-9_]{0,62}");
    private static final int TEXT_LIMIT = 8192;
    private static final int TEXT_READ = 200_000;
    private static final int MESSAGE_LIMIT = 200;
    private static final int CHECKPOINT_LIMIT = 64 * 1024;
    private static final int TOKEN_LIMIT = 200;

    private final Callbacks callbacks;
    private final FailedAttempts attempts;

    /** The outcomes that a receiver can post. */
    enum PostedState {
        SUCCEEDED,
        FAILED
    }

    public CallbackRoutes(Callbacks callbacks, FailedAttempts attempts) {
        this.callbacks = callbacks;
        this.attempts = attempts;
    }

    public List<Route> routes() {
        return List.of(
                Route.post(EXECUTION + "/complete", AccessRule.OPEN, this::complete),
                Route.post(EXECUTION + "/heartbeat", AccessRule.OPEN, this::heartbeat));
    }

    private void complete(Context context) {
        List<FieldError> errors = new ArrayList<>();
        Fields fields = Fields.of(RequestBody.object(context), "", errors);
        if (fields.required("state") == null) {
            throw new InvalidJsonException(errors);
        }
        PostedState state = fields.choice("state", PostedState.class, PostedState.FAILED);
        String output = fields.text("output", TEXT_READ);
        String error = fields.text("error", TEXT_READ);
        String code = code(fields);
        String checkpoint = checkpoint(fields);
        fields.refuseUnknown();
        boolean hasFailed = state == PostedState.FAILED;
        if (!hasFailed && (error != null || code != null)) {
            fields.error(error == null ? "errorCode" : "error", "belongs to the state FAILED");
        }
        refuse(errors);
        String token = token(context);
        CallbackAnswer.Outcome outcome = new CallbackAnswer.Outcome(
                ExecutionState.valueOf(state.name()),
                cut(output),
                hasFailed ? error == null ? "the receiver posted FAILED" : cut(error) : null,
                hasFailed ? code == null ? ErrorCodes.CALLBACK_FAILED : code : null);
        check(context, callbacks.complete(slot(context), CallbackToken.hash(token), outcome, checkpoint));
        ResponseWriter.json(
                context,
                200,
                JsonNodeFactory.instance
                        .objectNode()
                        .put("id", context.pathParam("id"))
                        .put("state", state.name()));
    }

    private void heartbeat(Context context) {
        List<FieldError> errors = new ArrayList<>();
        ObjectNode body = RequestBody.objectIfAny(context);
        Fields fields = Fields.of(body, "", errors);
        Double progress = fields.number("progress", 0, 1);
        String message = fields.text("message", TEXT_READ);
        String checkpoint = checkpoint(fields);
        fields.refuseUnknown();
        refuse(errors);
        Callbacks.Beat beat = callbacks.heartbeat(
                slot(context),
                CallbackToken.hash(token(context)),
                new Callbacks.Heartbeat(
                        progress == null ? OptionalDouble.empty() : OptionalDouble.of(progress),
                        message == null ? null : TextLimit.to(MESSAGE_LIMIT, message),
                        checkpoint));
        check(context, beat.verdict());
        ResponseWriter.json(
                context,
                200,
                JsonNodeFactory.instance
                        .objectNode()
                        .put("id", context.pathParam("id"))
                        .put("expiresAt", Instants.text(beat.expiresMillis())));
    }

    private static String code(Fields fields) {
        String code = fields.line("errorCode", 100);
        return code == null || CODE.matcher(code).matches()
                ? code
                : fields.error("errorCode", "must be 1 to 63 capital letters, digits and _, such as LEDGER_LOCKED");
    }

    private static String checkpoint(Fields fields) {
        JsonNode given = fields.json("checkpoint");
        String json = given == null ? null : given.toString();
        return json == null || json.getBytes(StandardCharsets.UTF_8).length <= CHECKPOINT_LIMIT
                ? json
                : fields.error("checkpoint", "has more than " + CHECKPOINT_LIMIT + " bytes");
    }

    private static void refuse(List<FieldError> errors) {
        if (!errors.isEmpty()) {
            throw new InvalidJsonException(errors);
        }
    }

    private static String cut(String text) {
        return text == null ? null : TextLimit.to(TEXT_LIMIT, text);
    }

    private static String token(Context context) {
        String token = context.header(TOKEN);
        if (token == null || token.isBlank() || token.length() > TOKEN_LIMIT) {
            throw new ProblemException(
                    ProblemType.INVALID_REQUEST, "the header " + TOKEN + " must have the token of the call");
        }
        return token.strip();
    }

    private void check(Context context, Callbacks.Verdict verdict) {
        switch (verdict) {
            case ACCEPTED -> {}
            case OVER ->
                throw new ProblemException(
                        ProblemType.CONFLICT, "this attempt is over, or was answered before; the first answer counts");
            case UNKNOWN -> throw unknown(context);
        }
    }

    private Slot slot(Context context) {
        return ExecutionJson.slot(context.pathParam("id")).orElseThrow(() -> unknown(context));
    }

    /** An unknown execution and a wrong token get the same answer, as late as that to an unknown token of a client. */
    private ProblemException unknown(Context context) {
        context.req()
                .setAttribute(
                        ResponseSender.DELAY, attempts.failed(context.req().getRemoteAddr()));
        return new ProblemException(
                ProblemType.NOT_PERMITTED, "the token is not one of execution " + context.pathParam("id"));
    }
}
