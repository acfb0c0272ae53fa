package io.twinbell.node.api.access;

import io.twinbell.node.access.Principal;
import io.twinbell.node.access.token.ConsoleSessions;
import java.util.Arrays;
import java.util.Optional;

/** The cookie of the web console. Scripts cannot read it, and browsers send it with requests of the node's own pages only. */
final class SessionCookie {
    private static final String NAME = "twinbell_session";
    private static final String ATTRIBUTES = "; Path=/; HttpOnly; SameSite=Strict";

    private SessionCookie() {}

    /**
     * Returns the principal of the request's session. A session that has ended is no failed attempt: the request counts
     * as one without credentials.
     *
     * @param header the header Cookie; null if there is none
     */
    static Optional<Principal> principal(String header, ConsoleSessions sessions) {
        if (header == null) {
            return Optional.empty();
        }
        return Arrays.stream(header.split(";"))
                .map(String::strip)
                .filter(cookie -> cookie.startsWith(NAME + "="))
                .flatMap(cookie -> sessions.principal(cookie.substring(NAME.length() + 1)).stream())
                .findFirst();
    }

    /** Returns the header Set-Cookie that begins a session. */
    static String begin(String value, boolean isSecure) {
        return header(value, ConsoleSessions.LIFE.toSeconds(), isSecure);
    }

    /** Returns the header Set-Cookie that ends a session. */
    static String end(boolean isSecure) {
        return header("", 0, isSecure);
    }

    private static String header(String value, long seconds, boolean isSecure) {
        return NAME + "=" + value + "; Max-Age=" + seconds + ATTRIBUTES + (isSecure ? "; Secure" : "");
    }
}
