package io.twinbell.node.api.server;

import java.time.Duration;
import java.util.Optional;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * The refusal of a request that never reaches a route. The server's error handler writes it.
 *
 * @param detail says what is wrong and what to do
 * @param delay how long the answer waits; {@link ResponseSender} bounds the number of answers that wait
 * @param client the name of the client, if it is known; null otherwise
 * @param retryAfterSeconds when the client should send its credentials again, because they cannot be checked now; null
 *     for other refusals
 */
public record EarlyRefusal(int status, String detail, Duration delay, String client, Long retryAfterSeconds) {
    private static final int UNAVAILABLE = 503;
    private static final String RETRY_AFTER = EarlyRefusal.class.getName() + ".retryAfter";
    private static final String CLIENT = EarlyRefusal.class.getName() + ".client";
    private static final String DETAIL = EarlyRefusal.class.getName() + ".detail";

    public EarlyRefusal(int status, String detail) {
        this(status, detail, Duration.ZERO);
    }

    public EarlyRefusal(int status, String detail, Duration delay) {
        this(status, detail, delay, null, null);
    }

    /** The refusal of credentials that cannot be checked now. */
    public static EarlyRefusal unchecked(String detail, long retryAfterSeconds) {
        return new EarlyRefusal(UNAVAILABLE, detail, Duration.ZERO, null, retryAfterSeconds);
    }

    /** The same refusal of a client with this name. */
    public EarlyRefusal of(String name) {
        return new EarlyRefusal(status, detail, delay, name, retryAfterSeconds);
    }

    void write(Request request, Response response, Callback callback) {
        request.setAttribute(DETAIL, detail);
        request.setAttribute(CLIENT, client);
        request.setAttribute(RETRY_AFTER, retryAfterSeconds);
        request.setAttribute(ResponseSender.DELAY, delay);
        Response.writeError(request, response, callback, status);
    }

    /** The name of the refused client; empty if it is unknown. */
    public static Optional<String> client(Request request) {
        return Optional.ofNullable((String) request.getAttribute(CLIENT));
    }

    /** When credentials that could not be checked should be sent again; empty if that is not why it was refused. */
    public static Optional<Long> retryAfterSeconds(Request request) {
        return Optional.ofNullable((Long) request.getAttribute(RETRY_AFTER));
    }

    /** Returns the detail of this request's refusal; empty if the server itself refused it. */
    public static Optional<String> detail(Request request) {
        return Optional.ofNullable((String) request.getAttribute(DETAIL));
    }
}
