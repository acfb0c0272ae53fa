package io.twinbell.node.api;

import io.twinbell.node.access.refusal.Refusals;
import io.twinbell.node.api.exchange.Problem;
import io.twinbell.node.api.exchange.ProblemType;
import io.twinbell.node.api.server.EarlyRefusal;
import io.twinbell.node.api.server.RequestGuard;
import io.twinbell.node.audit.store.RefusedAttempt;
import io.twinbell.node.json.StrictJson;
import io.twinbell.persistence.actor.Actor;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;

/**
 * Writes problem bodies for requests that Jetty refuses before they reach the API, such as malformed or excess
 * requests.
 */
final class JettyProblems extends ErrorHandler {
    /**
     * Problem types that the server itself never answers with. Each shares its status with the type that the server
     * means.
     */
    private static final Set<ProblemType> AMBIGUOUS =
            Set.of(ProblemType.DATABASE_UNAVAILABLE, ProblemType.TOKEN_UNCHECKED, ProblemType.QUOTA_EXCEEDED);

    private final Refusals refusals;

    JettyProblems(Refusals refusals) {
        this.refusals = refusals;
    }

    @Override
    public boolean errorPageForMethod(String method) {
        return true;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        int status = response.getStatus();
        Optional<Long> retryAfter = EarlyRefusal.retryAfterSeconds(request);
        Problem problem = Problem.of(
                retryAfter.isPresent() ? ProblemType.TOKEN_UNCHECKED : typeOf(status),
                EarlyRefusal.detail(request).orElseGet(() -> "the server refused the request with status " + status));
        if (status == 401 || status == 403) {
            refusals.add(attempt(request, problem));
        }
        byte[] body = StrictJson.bytes(problem.json(null).put("status", status));
        RequestGuard.protect(request, response.getHeaders());
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, Problem.CONTENT_TYPE);
        if (status == 503 || status == 429) {
            response.getHeaders().put(HttpHeader.RETRY_AFTER, String.valueOf(retryAfter.orElse(1L)));
        }
        if (status == 401) {
            response.getHeaders().put(HttpHeader.WWW_AUTHENTICATE, Problem.CHALLENGE);
        }
        if (status == 408) {
            response.getHeaders().put(HttpHeader.CONNECTION, "close");
        }
        response.write(true, ByteBuffer.wrap(body), callback);
        return true;
    }

    private static RefusedAttempt attempt(Request request, Problem problem) {
        return new RefusedAttempt(
                new Actor(
                        EarlyRefusal.client(request).orElse("unknown client"),
                        Actor.Channel.HTTP,
                        Request.getRemoteAddr(request),
                        request.getMethod() + " " + request.getHttpURI().getCanonicalPath()),
                problem.type() == ProblemType.UNAUTHORIZED ? RefusedAttempt.SIGN_IN : RefusedAttempt.REQUEST,
                problem.detail());
    }

    private static ProblemType typeOf(int status) {
        return Arrays.stream(ProblemType.values())
                .filter(type -> type.status() == status && !AMBIGUOUS.contains(type))
                .findFirst()
                .orElse(status < 500 ? ProblemType.INVALID_REQUEST : ProblemType.INTERNAL_ERROR);
    }
}
