package io.twinbell.node.api.server;

import java.util.Optional;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * The refusal of a request that never reaches a route. The server's error handler writes it.
 *
 * @param detail says what is wrong and what to do
 */
public record EarlyRefusal(int status, String detail) {
    private static final String DETAIL = EarlyRefusal.class.getName() + ".detail";

    void write(Request request, Response response, Callback callback) {
        request.setAttribute(DETAIL, detail);
        Response.writeError(request, response, callback, status);
    }

    /** Returns the detail of this request's refusal; empty if the server itself refused it. */
    public static Optional<String> detail(Request request) {
        return Optional.ofNullable((String) request.getAttribute(DETAIL));
    }
}
