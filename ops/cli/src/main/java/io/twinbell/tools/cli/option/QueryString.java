package io.twinbell.tools.cli.option;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/** Builds a path with encoded query parameters. Parameters without a value are left out. */
public final class QueryString {
    private final StringBuilder path;
    private boolean hasSome;

    public QueryString(String path) {
        this.path = new StringBuilder(path);
    }

    public QueryString with(String name, Object value) {
        if (value != null) {
            path.append(hasSome ? '&' : '?').append(name).append('=').append(encoded(value.toString()));
            hasSome = true;
        }
        return this;
    }

    /** Whether any parameter has a value. */
    public boolean hasSome() {
        return hasSome;
    }

    public String path() {
        return path.toString();
    }

    /** Encodes a text for a path or a query. */
    public static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
