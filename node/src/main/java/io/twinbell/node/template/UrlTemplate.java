package io.twinbell.node.template;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A URL whose path and query may have variables; whom it calls is fixed. A value is percent-encoded, so that it stays
 * within its segment or its parameter.
 */
public final class UrlTemplate {
    private static final Pattern PARTS = Pattern.compile("([^:/?#]+://[^/?#]*)([^?#]*)(\\?[^#]*)?(#.*)?");
    private static final Set<String> SCHEMES = Set.of("http", "https");
    private static final String NOT_ABSOLUTE = "must be an absolute http or https URL";

    private final String origin;
    private final Template path;
    private final Template query;

    private UrlTemplate(String origin, Template path, Template query) {
        this.origin = origin;
        this.path = path;
        this.query = query;
    }

    /** @throws TemplateException with what is wrong */
    public static UrlTemplate parse(String text) {
        Matcher parts = PARTS.matcher(text);
        if (!parts.matches()) {
            throw new TemplateException(NOT_ABSOLUTE);
        }
        if (parts.group(1).contains("${")) {
            throw new TemplateException("may have variables in its path and query only, not in its host");
        }
        if (parts.group(4) != null) {
            throw new TemplateException("must have no fragment: \"#\" is never sent");
        }
        if (!SCHEMES.contains(text.substring(0, text.indexOf(':')).toLowerCase(Locale.ROOT))) {
            throw new TemplateException(NOT_ABSOLUTE);
        }
        URI origin = uri(parts.group(1));
        if (origin.getHost() == null || origin.getPort() > 65535) {
            throw new TemplateException(NOT_ABSOLUTE);
        }
        if (origin.getRawUserInfo() != null) {
            throw new TemplateException("must not carry a user name or password: use an Authorization header");
        }
        Template path = Template.parse(parts.group(2));
        Template query = parts.group(3) == null ? null : Template.parse(parts.group(3));
        if (path.namesSecret() || query != null && query.namesSecret()) {
            throw new TemplateException("must not carry a secret: URLs are logged; use a header");
        }
        return new UrlTemplate(parts.group(1), path, query);
    }

    private static URI uri(String text) {
        try {
            return new URI(text);
        } catch (URISyntaxException e) {
            throw new TemplateException("is not a URL: " + e.getMessage());
        }
    }

    /** As it was written. */
    public String text() {
        return origin + path.text() + (query == null ? "" : query.text());
    }

    /** Whom it calls. */
    public String host() {
        return uri(origin).getHost();
    }

    /** @throws TemplateException if a value is missing or can't stand where it should */
    public URI render(Values values) {
        return uri(origin
                + path.render(values, Escape.SEGMENT)
                + (query == null ? "" : query.render(values, Escape.QUERY)));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof UrlTemplate url && url.text().equals(text());
    }

    @Override
    public int hashCode() {
        return text().hashCode();
    }

    @Override
    public String toString() {
        return text();
    }
}
