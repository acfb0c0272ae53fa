package io.twinbell.node.api.server;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * The refusal of a request that never reaches a route. The server's error handler writes it.
 *
 * @param detail says what is wrong and what to do
 * @param delay how long the answer waits
 * @param certificate the common name of the client's certificate, which permits nothing here; null for none
 */
public record EarlyRefusal(int status, String detail, Duration delay, String certificate) {
    private static final String CERTIFICATE = EarlyRefusal.class.getName() + ".certificate";
    private static final String DETAIL = EarlyRefusal.class.getName() + ".detail";

    public EarlyRefusal(int status, String detail) {
        this(status, detail, Duration.ZERO);
    }

    public EarlyRefusal(int status, String detail, Duration delay) {
        this(status, detail, delay, null);
    }

    /** The same refusal of a client with this certificate. */
    public EarlyRefusal withCertificate(String commonName) {
        return new EarlyRefusal(status, detail, delay, commonName);
    }

    /** A delayed answer needs no thread while it waits. */
    void write(Request request, Response response, Callback callback) {
        request.setAttribute(DETAIL, detail);
        request.setAttribute(CERTIFICATE, certificate);
        if (delay.isZero()) {
            Response.writeError(request, response, callback, status);
        } else {
            request.getComponents()
                    .getScheduler()
                    .schedule(
                            () -> Response.writeError(request, response, callback, status),
                            delay.toMillis(),
                            TimeUnit.MILLISECONDS);
        }
    }

    /** The common name of the refused client's certificate; empty for none. */
    public static Optional<String> certificate(Request request) {
        return Optional.ofNullable((String) request.getAttribute(CERTIFICATE));
    }

    /** Returns the detail of this request's refusal; empty if the server itself refused it. */
    public static Optional<String> detail(Request request) {
        return Optional.ofNullable((String) request.getAttribute(DETAIL));
    }
}
