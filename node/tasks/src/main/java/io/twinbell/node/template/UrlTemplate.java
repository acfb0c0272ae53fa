package io.twinbell.node.template;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A URL with variables in its path and query; the receiver is fixed. A value is percent-encoded, so that it stays
 * within its segment or parameter.
 */
public final class UrlTemplate {
    private static final Pattern PARTS = Pattern.compile("([^:/?#]+://[^/?#]*)([^?#]*)(\\?[^#]*)?");

    private final String text;
    private final HttpUrl origin;
    private final Template path;
    private final Template query;

    private UrlTemplate(String text, HttpUrl origin, Template path, Template query) {
        this.text = text;
        this.origin = origin;
        this.path = path;
        this.query = query;
    }

    /**
     * Parses a task's URL, which must not contain secrets.
     *
     * @throws TemplateException naming the error
     */
    public static UrlTemplate parse(String text) {
        UrlTemplate url = parseWithSecrets(text);
        if (url.namesSecret()) {
            throw new TemplateException("must not contain a secret, because URLs are logged: use a header");
        }
        return url;
    }

    /**
     * Parses an alert's URL, which may contain secrets in its path and query: with many chat services the URL is the
     * only credential.
     *
     * @throws TemplateException naming the error
     */
    public static UrlTemplate parseWithSecrets(String text) {
        Matcher parts = PARTS.matcher(text);
        if (!parts.matches()) {
            // Throws the error of the first invalid part.
            HttpUrl.parse(text);
            throw new TemplateException("must be an absolute http or https URL");
        }
        if (parts.group(1).contains("${")) {
            throw new TemplateException("may have variables in its path and query only, not in its host");
        }
        HttpUrl origin = HttpUrl.parse(parts.group(1));
        Template path = Template.parse(parts.group(2));
        Template query = parts.group(3) == null ? null : Template.parse(parts.group(3));
        return new UrlTemplate(text, origin, path, query);
    }

    /** Returns the text as written. */
    public String text() {
        return text;
    }

    /** Returns scheme, host and port of the receiver. */
    public HttpUrl origin() {
        return origin;
    }

    private boolean namesSecret() {
        return path.namesSecret() || query != null && query.namesSecret();
    }

    /** @throws TemplateException if a value is missing or not allowed at its place */
    public HttpUrl render(Values values) {
        return origin.withTarget(
                path.render(values, Escape.SEGMENT) + (query == null ? "" : query.render(values, Escape.QUERY)));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof UrlTemplate url && url.text.equals(text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    @Override
    public String toString() {
        return text;
    }
}
