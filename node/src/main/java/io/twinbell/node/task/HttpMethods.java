package io.twinbell.node.task;

import io.twinbell.node.json.NearestName;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The methods that a new call may have: any word would let a task speak to servers of other protocols, whose commands
 * stand at the same place.
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

    /** Why a call may not have this method, if so. */
    public static Optional<String> refusal(String method) {
        return KNOWN.contains(method)
                ? Optional.empty()
                : Optional.of("must be one of " + KNOWN + NearestName.hint(method.toUpperCase(Locale.ROOT), KNOWN));
    }
}
