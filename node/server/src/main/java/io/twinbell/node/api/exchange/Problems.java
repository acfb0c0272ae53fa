package io.twinbell.node.api.exchange;

import io.javalin.config.JavalinConfig;
import io.javalin.http.Context;
import io.javalin.http.HandlerType;
import io.javalin.http.HttpResponseException;
import io.twinbell.node.access.UncheckedCredentialsException;
import io.twinbell.node.json.FieldError;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.task.PayloadTooLargeException;
import io.twinbell.node.task.VersionConflictException;
import io.twinbell.persistence.actor.ChainRefusedException;
import io.twinbell.persistence.calendar.UnknownCalendarException;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.database.QuotaExceededException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Converts the exception that ended a request into a problem response. */
public final class Problems {
    private static final Logger LOG = LoggerFactory.getLogger(Problems.class);

    private Problems() {}

    public static void register(JavalinConfig config) {
        config.routes.exception(Exception.class, (failure, context) -> {
            Problem problem = of(failure, context);
            RefusalReport.report(context, problem, 1);
            answer(context, problem);
        });
        config.routes.error(
                404, context -> answerIfUnanswered(context, ProblemType.NOT_FOUND, "there is no such path"));
        config.routes.error(
                405,
                context -> answerIfUnanswered(
                        context, ProblemType.METHOD_NOT_ALLOWED, context.method() + " is not supported on this path"));
        config.router.javaLangErrorHandler((response, error) -> {
            LOG.error("a request failed", error);
            response.setStatus(ProblemType.INTERNAL_ERROR.status());
            response.setContentType(Problem.CONTENT_TYPE);
        });
    }

    /** Converts the failure of one batch item, which must not fail the whole request. */
    public static Problem ofItem(RuntimeException failure) {
        if (failure instanceof ProblemException refusal) {
            return refusal.problem();
        }
        if (failure instanceof InvalidJsonException invalid) {
            return Problem.inBody(ProblemType.INVALID_REQUEST, invalid.errors());
        }
        if (failure instanceof PayloadTooLargeException large) {
            return Problem.inBody(
                    ProblemType.PAYLOAD_TOO_LARGE, List.of(new FieldError(large.pointer(), large.getMessage())));
        }
        if (failure instanceof VersionConflictException conflict) {
            return Problem.inBody(
                    ProblemType.VERSION_CONFLICT, List.of(new FieldError("/version", conflict.getMessage())));
        }
        if (failure instanceof QuotaExceededException exceeded) {
            return Problem.of(ProblemType.QUOTA_EXCEEDED, exceeded.getMessage());
        }
        if (failure instanceof ChainRefusedException refused) {
            return Problem.of(ProblemType.NOT_PERMITTED, refused.getMessage());
        }
        if (failure instanceof UnknownCalendarException gone) {
            return Problem.inBody(
                    ProblemType.INVALID_REQUEST, List.of(new FieldError("/calendars", gone.getMessage())));
        }
        throw failure;
    }

    static void answer(Context context, Problem problem) {
        context.status(problem.type().status());
        if (problem.type().status() == 503 && !context.res().containsHeader("Retry-After")) {
            context.header("Retry-After", "1");
        }
        context.contentType(Problem.CONTENT_TYPE);
        context.result(StrictJson.bytes(problem.json(context.path())));
    }

    private static Problem of(Exception failure, Context context) {
        if (failure instanceof DatabaseUnavailableException unavailable && !unavailable.isRefusal()) {
            LOG.debug("answering 503", failure);
            boolean isRead = context.method() == HandlerType.GET || context.method() == HandlerType.HEAD;
            return Problem.of(
                    ProblemType.DATABASE_UNAVAILABLE,
                    (isRead ? "the database does not answer" : "the request may not have been stored")
                            + "; send the same request again");
        }
        if (failure instanceof DatabaseUnavailableException unavailable && unavailable.lacksSchema()) {
            LOG.error("{} {} failed", context.method(), context.path(), failure);
            return Problem.of(
                    ProblemType.DATABASE_UNAVAILABLE,
                    "the database does not have the schema of this node's version; see the node's log for the cause");
        }
        if (failure instanceof UncheckedCredentialsException unchecked) {
            context.header("Retry-After", String.valueOf(unchecked.retryAfterSeconds()));
            return Problem.of(ProblemType.TOKEN_UNCHECKED, unchecked.getMessage());
        }
        if (failure instanceof HttpResponseException refusal) {
            return refused(refusal, context);
        }
        if (failure instanceof RuntimeException exception) {
            try {
                return ofItem(exception);
            } catch (RuntimeException unknown) {
                LOG.error("{} {} failed", context.method(), context.path(), unknown);
            }
        } else {
            LOG.error("{} {} failed", context.method(), context.path(), failure);
        }
        return Problem.of(ProblemType.INTERNAL_ERROR, "see the node's log for the cause");
    }

    /** Converts a refusal by Javalin itself. */
    private static Problem refused(HttpResponseException refusal, Context context) {
        return switch (refusal.getStatus()) {
            case 404 -> Problem.of(ProblemType.NOT_FOUND, "there is no such path");
            case 405 -> methodNotAllowed(refusal, context);
            case 413 -> Problem.of(ProblemType.PAYLOAD_TOO_LARGE, "the body is too large");
            default -> Problem.of(ProblemType.INVALID_REQUEST, refusal.getMessage());
        };
    }

    private static Problem methodNotAllowed(HttpResponseException refusal, Context context) {
        String allowed = refusal.getDetails().getOrDefault("availableMethods", "");
        context.header("Allow", allowed);
        return Problem.of(
                ProblemType.METHOD_NOT_ALLOWED,
                context.method() + " is not supported on this path; " + allowed + " is");
    }

    private static void answerIfUnanswered(Context context, ProblemType type, String detail) {
        String answered = context.res().getContentType();
        if (answered == null || !answered.startsWith(Problem.MEDIA_TYPE)) {
            answer(context, Problem.of(type, detail));
        }
    }
}
