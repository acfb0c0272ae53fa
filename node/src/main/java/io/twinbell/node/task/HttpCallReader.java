package io.twinbell.node.task;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.json.Fields;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** Reads an HTTP call, and refuses at the door what would only fail when it fires. */
final class HttpCallReader {
    private static final Pattern TOKEN = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");
    private static final Pattern HEADER_VALUE = Pattern.compile("[\\t\\x20-\\x7e]*");
    private static final int MAX_METHOD = 20;
    private static final int MAX_URL = 4096;
    private static final int MAX_HEADERS = 50;
    private static final int MAX_HEADER_NAME = 200;
    private static final int MAX_HEADER_VALUE = 8192;

    /** The JDK's client sets these itself and refuses to be told. */
    private static final Set<String> SET_BY_THE_CLIENT =
            Set.of("connection", "content-length", "expect", "host", "upgrade", "transfer-encoding");

    private HttpCallReader() {}

    static HandlerSpec read(Fields handler, ObjectNode normalized) {
        String body = body(handler);
        String method = method(handler, body);
        URI url = url(handler);
        Map<String, String> headers = headers(handler);
        normalized.put("method", method);
        normalized.put("url", url == null ? null : url.toString());
        headers.forEach(normalized.putObject("headers")::put);
        if (body != null) {
            normalized.put("body", body);
        }
        return new HandlerSpec.HttpCall(method, url, Map.copyOf(headers), body);
    }

    private static String body(Fields handler) {
        JsonNode body = handler.json("body");
        if (body == null || body.isTextual()) {
            return body == null ? null : body.textValue();
        }
        return handler.error("body", "must be a text");
    }

    /** As curl does it: GET, or POST if there is a body. */
    private static String method(Fields handler, String body) {
        String method = handler.text("method", MAX_METHOD);
        if (method == null) {
            return body == null ? "GET" : "POST";
        }
        if (!TOKEN.matcher(method).matches() || method.equalsIgnoreCase("CONNECT")) {
            return handler.error("method", "must be an HTTP method such as POST");
        }
        return method;
    }

    private static URI url(Fields handler) {
        String text = handler.requiredLine("url", MAX_URL);
        if (text == null) {
            return null;
        }
        try {
            URI url = new URI(text);
            String scheme = url.getScheme() == null ? "" : url.getScheme().toLowerCase(Locale.ROOT);
            if (!Set.of("http", "https").contains(scheme) || url.getHost() == null || url.getPort() > 65535) {
                return handler.error("url", "must be an absolute http or https URL");
            }
            return url.getRawUserInfo() == null
                    ? url
                    : handler.error("url", "must not carry a user name or password: use an Authorization header");
        } catch (URISyntaxException e) {
            return handler.error("url", "is not a URL: " + e.getMessage());
        }
    }

    private static Map<String, String> headers(Fields handler) {
        Fields given = handler.object("headers");
        if (given == null) {
            return Map.of();
        }
        if (given.all().size() > MAX_HEADERS) {
            handler.error("headers", "must be at most " + MAX_HEADERS);
            return Map.of();
        }
        Map<String, String> headers = new LinkedHashMap<>();
        Map<String, String> seen = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        for (Map.Entry<String, JsonNode> header : given.all()) {
            String problem = problem(header.getKey(), header.getValue());
            if (problem == null && seen.put(header.getKey(), "") != null) {
                problem = "is there twice: case does not matter in header names";
            }
            if (problem != null) {
                given.error(header.getKey(), problem);
            } else {
                headers.put(header.getKey(), header.getValue().textValue());
            }
        }
        return headers;
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
        return valid ? null : "must be a text of printable ASCII, at most " + MAX_HEADER_VALUE + " characters";
    }
}
