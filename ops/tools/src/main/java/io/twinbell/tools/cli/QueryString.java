package io.twinbell.tools.cli;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/** Builds a path with encoded query parameters. Parameters without a value are left out. */
final class QueryString {
    private final StringBuilder path;
    private boolean hasSome;

    QueryString(String path) {
        this.path = new StringBuilder(path);
    }

    QueryString with(String name, Object value) {
        if (value != null) {
            path.append(hasSome ? '&' : '?').append(name).append('=').append(encoded(value.toString()));
            hasSome = true;
        }
        return this;
    }

    /** Whether any parameter has a value. */
    boolean hasSome() {
        return hasSome;
    }

    String path() {
        return path.toString();
    }

    /** Encodes a text for a path or a query. */
    static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
