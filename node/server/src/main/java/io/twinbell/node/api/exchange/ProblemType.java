package io.twinbell.node.api.exchange;

import java.util.Locale;

/** The types of problem responses. Programs tell them apart by the type; people read the title. */
public enum ProblemType {
    INVALID_REQUEST(400, "The request is not valid"),
    UNAUTHORIZED(401, "The request needs a valid token"),
    FORBIDDEN(403, "Pages of another site may not do this"),
    NOT_PERMITTED(403, "The token does not permit the request"),
    NOT_FOUND(404, "Not found"),
    METHOD_NOT_ALLOWED(405, "This path does not support the method"),
    TOO_SLOW(408, "The request arrived too slowly"),
    NAME_TAKEN(409, "The app already has a task of that name"),
    VERSION_CONFLICT(409, "The version is not the current one"),
    CONFLICT(409, "The current state does not allow the request"),
    PAYLOAD_TOO_LARGE(413, "The payload is too large"),
    UNSUPPORTED_MEDIA_TYPE(415, "The type of the body is not supported"),
    FOREIGN_HOST(421, "The Host header does not name this node"),
    QUOTA_EXCEEDED(429, "A quota of the app is exhausted"),
    TOO_MANY_REQUESTS(429, "The client sends too many requests"),
    INTERNAL_ERROR(500, "Internal error"),
    DATABASE_UNAVAILABLE(503, "The database is not available"),
    TOKEN_UNCHECKED(503, "The token cannot be checked now"),
    OVERLOADED(503, "Too many requests are waiting"),
    TIMED_OUT(504, "The operation did not end in time");

    private final int status;
    private final String title;

    ProblemType(int status, String title) {
        this.status = status;
        this.title = title;
    }

    public int status() {
        return status;
    }

    String title() {
        return title;
    }

    String uri() {
        return "urn:twinbell:problem:" + name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
