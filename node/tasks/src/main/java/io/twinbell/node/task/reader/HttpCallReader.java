package io.twinbell.node.task.reader;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.json.Fields;
import io.twinbell.node.task.definition.HandlerSpec;
import io.twinbell.node.template.BodyTemplate;
import io.twinbell.node.template.Escape;
import io.twinbell.node.template.Template;
import io.twinbell.node.template.TemplateException;
import io.twinbell.node.template.UrlTemplate;
import io.twinbell.node.template.Values;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Pattern;

/** Reads the definition of an HTTP call, and refuses calls that would only fail when the task fires. */
public final class HttpCallReader {
    private static final Pattern TOKEN = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");
    private static final Pattern HEADER_VALUE = Pattern.compile("[\\t\\x20-\\x7e]*");
    private static final int MAX_METHOD = 20;
    private static final int MAX_URL = 4096;
    private static final int MAX_HEADERS = 50;
    private static final int MAX_HEADER_NAME = 200;
    private static final int MAX_HEADER_VALUE = 8192;

    /** The HTTP client sets these itself. */
    private static final Set<String> SET_BY_THE_CLIENT =
            Set.of("connection", "content-length", "expect", "host", "te", "trailer", "upgrade", "transfer-encoding");

    private static final Set<String> SET_BY_STANDARD_WEBHOOKS =
            Set.of("webhook-id", "webhook-timestamp", "webhook-signature");

    private HttpCallReader() {}

    /**
     * Returns the call that these members describe, and writes it back with its defaults.
     *
     * @param sample values for checking its templates
     */
    static HandlerSpec.HttpCall read(Fields handler, ObjectNode normalized, Values sample) {
        return read(handler, normalized, sample, UrlTemplate::parse, true);
    }

    /** Reads the webhook of an alert in the same way; its URL may contain secrets. */
    public static HandlerSpec.HttpCall readWebhook(Fields webhook, ObjectNode normalized, Values sample) {
        return read(webhook, normalized, sample, UrlTemplate::parseWithSecrets, false);
    }

    private static HandlerSpec.HttpCall read(
            Fields handler,
            ObjectNode normalized,
            Values sample,
            Function<String, UrlTemplate> parser,
            boolean mayCallBack) {
        Map<String, Template> headers = headers(handler, sample);
        BodyTemplate body = body(handler, headers, sample);
        UrlTemplate url = url(handler, sample, parser);
        HandlerSpec.HttpRules rules = HttpRulesReader.read(handler, mayCallBack);
        String method = method(handler, body != null || rules.cloudEvents() != null);
        refuseReserved(handler, headers, rules);
        if (body != null && rules.cloudEvents() == HandlerSpec.CloudEventMode.STRUCTURED) {
            refuseUnreadable(handler, body, sample);
        }
        normalized.put("method", method);
        normalized.put("url", url == null ? null : url.text());
        ObjectNode written = normalized.putObject("headers");
        headers.forEach((name, value) -> written.put(name, value.text()));
        if (body != null) {
            normalized.put("body", body.template().text());
        }
        HttpRulesReader.write(rules, normalized);
        return new HandlerSpec.HttpCall(method, url, Map.copyOf(headers), body, rules);
    }

    private static BodyTemplate body(Fields handler, Map<String, Template> headers, Values sample) {
        JsonNode given = handler.json("body");
        if (given == null || !given.isTextual()) {
            return given == null ? null : handler.error("body", "must be a string");
        }
        try {
            BodyTemplate body = BodyTemplate.parse(given.textValue(), contentType(headers));
            body.render(sample);
            return body;
        } catch (TemplateException e) {
            return handler.error("body", e.getMessage());
        }
    }

    private static String contentType(Map<String, Template> headers) {
        return headers.entrySet().stream()
                .filter(header -> header.getKey().equalsIgnoreCase("Content-Type"))
                .map(header -> header.getValue().text())
                .findFirst()
                .orElse(null);
    }

    private static void refuseReserved(Fields handler, Map<String, Template> headers, HandlerSpec.HttpRules rules) {
        for (String name : headers.keySet()) {
            String lowerCase = name.toLowerCase(Locale.ROOT);
            if (rules.signature() == HandlerSpec.SignatureScheme.STANDARD_WEBHOOKS
                    && SET_BY_STANDARD_WEBHOOKS.contains(lowerCase)) {
                handler.object("headers").error(name, "is set by the signature STANDARD_WEBHOOKS");
            } else if (rules.profile() != null && lowerCase.equals("proxy-authorization")) {
                handler.object("headers").error(name, "is set by the profile");
            } else if (rules.cloudEvents() != null && lowerCase.startsWith("ce-")) {
                handler.object("headers").error(name, "is reserved for the attributes of the CloudEvent");
            }
        }
    }

    private static void refuseUnreadable(Fields handler, BodyTemplate body, Values sample) {
        try {
            body.event(sample);
        } catch (TemplateException e) {
            handler.error("body", e.getMessage());
        }
    }

    /** Returns the method; the default is GET, or POST if there is content, as in curl. */
    private static String method(Fields handler, boolean hasContent) {
        String method = handler.text("method", MAX_METHOD);
        if (method == null) {
            return hasContent ? "POST" : "GET";
        }
        if (!TOKEN.matcher(method).matches() || method.equalsIgnoreCase("CONNECT")) {
            return handler.error("method", "must be an HTTP method such as POST");
        }
        return method;
    }

    private static UrlTemplate url(Fields handler, Values sample, Function<String, UrlTemplate> parser) {
        String text = handler.requiredLine("url", MAX_URL);
        try {
            UrlTemplate url = text == null ? null : parser.apply(text);
            if (url != null) {
                url.render(sample);
            }
            return url;
        } catch (TemplateException e) {
            return handler.error("url", e.getMessage());
        }
    }

    private static Map<String, Template> headers(Fields handler, Values sample) {
        Fields given = handler.object("headers");
        if (given == null) {
            return Map.of();
        }
        if (given.all().size() > MAX_HEADERS) {
            handler.error("headers", "must have at most " + MAX_HEADERS + " members");
            return Map.of();
        }
        Map<String, Template> headers = new LinkedHashMap<>();
        Map<String, String> seen = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        for (Map.Entry<String, JsonNode> header : given.all()) {
            String problem = problem(header.getKey(), header.getValue());
            if (problem == null && seen.put(header.getKey(), "") != null) {
                problem = "occurs twice: header names are case-insensitive";
            }
            if (problem != null) {
                given.error(header.getKey(), problem);
            } else {
                value(given, header, sample).ifPresent(value -> headers.put(header.getKey(), value));
            }
        }
        return headers;
    }

    private static Optional<Template> value(Fields headers, Map.Entry<String, JsonNode> header, Values sample) {
        try {
            Template value = Template.parse(header.getValue().textValue());
            value.render(sample, Escape.HEADER);
            return Optional.of(value);
        } catch (TemplateException e) {
            headers.error(header.getKey(), e.getMessage());
            return Optional.empty();
        }
    }

    private static String problem(String name, JsonNode value) {
        String lowerCase = name.toLowerCase(Locale.ROOT);
        if (name.length() > MAX_HEADER_NAME || !TOKEN.matcher(name).matches()) {
            return "is not a header name";
        }
        if (SET_BY_THE_CLIENT.contains(lowerCase)) {
            return "is set by the HTTP client itself";
        }
        if (lowerCase.equals("idempotency-key") || lowerCase.startsWith("twinbell-")) {
            return "is set by Twinbell itself";
        }
        boolean valid = value.isTextual()
                && value.textValue().length() <= MAX_HEADER_VALUE
                && HEADER_VALUE.matcher(value.textValue()).matches();
        return valid ? null : "must be a string of printable ASCII, at most " + MAX_HEADER_VALUE + " characters";
    }
}
