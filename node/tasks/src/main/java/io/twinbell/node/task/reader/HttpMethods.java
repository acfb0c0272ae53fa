package io.twinbell.node.task.reader;

import io.twinbell.node.json.NearestName;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The allowed methods of a new HTTP call. An arbitrary method would let a task send commands to servers of other
 * protocols, which expect their command in the same place.
 */
public final class HttpMethods {
    private static final List<String> KNOWN = List.of(
            "GET",
            "HEAD",
            "POST",
            "PUT",
            "PATCH",
            "DELETE",
            "OPTIONS",
            "QUERY",
            "PROPFIND",
            "PROPPATCH",
            "MKCOL",
            "COPY",
            "MOVE",
            "LOCK",
            "UNLOCK",
            "REPORT",
            "SEARCH",
            "PURGE",
            "BAN");

    private HttpMethods() {}

    /** Returns why a call may not use this method; empty if it may. */
    public static Optional<String> refusal(String method) {
        return KNOWN.contains(method)
                ? Optional.empty()
                : Optional.of("must be one of " + KNOWN + NearestName.hint(method.toUpperCase(Locale.ROOT), KNOWN));
    }
}
