package io.twinbell.node.template;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A URL whose path and query may have variables; the receiver is fixed. A value is percent-encoded, so that it stays
 * within its segment or its parameter.
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
     * A task's URL, which carries no secret.
     *
     * @throws TemplateException with what is wrong
     */
    public static UrlTemplate parse(String text) {
        UrlTemplate url = parseWithSecrets(text);
        if (url.namesSecret()) {
            throw new TemplateException("must not carry a secret: URLs are logged; use a header");
        }
        return url;
    }

    /**
     * An alert's URL, which may carry secrets in its path and query: with many chat services the URL is the only credential.
     *
     * @throws TemplateException with what is wrong
     */
    public static UrlTemplate parseWithSecrets(String text) {
        Matcher parts = PARTS.matcher(text);
        if (!parts.matches()) {
            // Says what is wrong, in the order in which a URL is read.
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

    /** As it was written. */
    public String text() {
        return text;
    }

    /** Scheme, host and port of the receiver. */
    public HttpUrl origin() {
        return origin;
    }

    private boolean namesSecret() {
        return path.namesSecret() || query != null && query.namesSecret();
    }

    /** @throws TemplateException if a value is missing or can't stand where it should */
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
