package io.twinbell.node.api;

import io.twinbell.node.json.StrictJson;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;

/** Answers what never reaches the API (a malformed request, too many of them) in the same shape as everything else. */
final class JettyProblems extends ErrorHandler {
    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        int status = response.getStatus();
        Problem problem = Problem.of(typeOf(status), "the server refused the request with status " + status);
        byte[] body = StrictJson.write(problem.json(null).put("status", status)).getBytes(StandardCharsets.UTF_8);
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, Problem.CONTENT_TYPE);
        if (status == 503) {
            response.getHeaders().put(HttpHeader.RETRY_AFTER, "1");
        }
        response.write(true, ByteBuffer.wrap(body), callback);
        return true;
    }

    private static ProblemType typeOf(int status) {
        return switch (status) {
            case 404 -> ProblemType.NOT_FOUND;
            case 405 -> ProblemType.METHOD_NOT_ALLOWED;
            case 413 -> ProblemType.PAYLOAD_TOO_LARGE;
            case 503 -> ProblemType.OVERLOADED;
            default -> status < 500 ? ProblemType.INVALID_REQUEST : ProblemType.INTERNAL_ERROR;
        };
    }
}
