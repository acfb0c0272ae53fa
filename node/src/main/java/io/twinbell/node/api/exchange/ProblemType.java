package io.twinbell.node.api.exchange;

import java.util.Locale;

/** The types of problem responses. Programs tell them apart by the type; people read the title. */
public enum ProblemType {
    INVALID_REQUEST(400, "The request is not valid"),
    FORBIDDEN(403, "A page of another site may not do this"),
    NOT_FOUND(404, "There is no such thing"),
    METHOD_NOT_ALLOWED(405, "This path does not answer to that method"),
    TOO_SLOW(408, "The request came too slowly"),
    NAME_TAKEN(409, "The app has a task of that name"),
    VERSION_CONFLICT(409, "Somebody else has changed it"),
    CONFLICT(409, "The state of things does not allow it"),
    PAYLOAD_TOO_LARGE(413, "The payload is too large"),
    UNSUPPORTED_MEDIA_TYPE(415, "The body is not of a type that is understood here"),
    FOREIGN_HOST(421, "The node is not known under this name"),
    INTERNAL_ERROR(500, "Twinbell failed"),
    DATABASE_UNAVAILABLE(503, "The database is not available"),
    OVERLOADED(503, "Too many requests are waiting"),
    TIMED_OUT(504, "It was begun, but not seen to end in time");

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
