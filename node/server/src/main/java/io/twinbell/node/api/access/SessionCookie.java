package io.twinbell.node.api.access;

import io.twinbell.node.access.Principal;
import io.twinbell.node.access.token.ConsoleSessions;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Stream;

/** The cookie of the web console. Scripts cannot read it, and browsers send it with requests of the node's own pages only. */
final class SessionCookie {
    private static final String NAME = "twinbell_session";
    private static final String ATTEMPT = "twinbell_sign_in";
    private static final Duration ATTEMPT_LIFE = Duration.ofMinutes(10);

    private SessionCookie() {}

    /**
     * Returns the principal of the request's session. A session that has ended is no failed attempt: the request counts
     * as one without credentials.
     *
     * @param header the header Cookie; null if there is none
     */
    static Optional<Principal> principal(String header, ConsoleSessions sessions) {
        return values(header, NAME)
                .flatMap(value -> sessions.principal(value).stream())
                .findFirst();
    }

    private static Stream<String> values(String header, String name) {
        return header == null
                ? Stream.empty()
                : Arrays.stream(header.split(";"))
                        .map(String::strip)
                        .filter(cookie -> cookie.startsWith(name + "="))
                        .map(cookie -> cookie.substring(name.length() + 1));
    }

    /** Returns what the browser keeps while a person signs in at the provider. */
    static Optional<String> attempt(String header) {
        return values(header, ATTEMPT).findFirst();
    }

    /** Returns the header Set-Cookie for that. The browser must send it when it comes back from the provider's site. */
    static String attempt(String value, boolean isSecure) {
        return attempt(value, ATTEMPT_LIFE, isSecure);
    }

    static String endAttempt(boolean isSecure) {
        return attempt("", Duration.ZERO, isSecure);
    }

    private static String attempt(String value, Duration life, boolean isSecure) {
        return ATTEMPT + "=" + value + "; Max-Age=" + life.toSeconds() + "; Path=" + SignInRoutes.BEGIN
                + "; HttpOnly; SameSite=Lax" + (isSecure ? "; Secure" : "");
    }

    /** Returns the header Set-Cookie that begins a session. */
    static String begin(String value, Duration life, boolean isSecure) {
        return NAME + "=" + value + "; Max-Age=" + life.toSeconds() + "; Path=/; HttpOnly; SameSite=Strict"
                + (isSecure ? "; Secure" : "");
    }

    /** Returns the header Set-Cookie that ends a session. */
    static String end(boolean isSecure) {
        return begin("", Duration.ZERO, isSecure);
    }
}
