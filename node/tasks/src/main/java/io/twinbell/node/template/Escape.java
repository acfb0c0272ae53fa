package io.twinbell.node.template;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import com.fasterxml.jackson.databind.JsonNode;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/** Escapes a value for the place where it is inserted, so that it remains a single value there. */
public enum Escape {
    /** No escaping. */
    NONE {
        @Override
        String write(JsonNode value, boolean isQuoted) {
            return text(value);
        }
    },
    /** Between quotes, the characters of a text; elsewhere, any JSON value. */
    JSON {
        @Override
        String write(JsonNode value, boolean isQuoted) {
            return isQuoted ? new String(JsonStringEncoder.getInstance().quoteAsString(text(value))) : value.toString();
        }
    },
    /** The value of a form field. */
    FORM {
        @Override
        String write(JsonNode value, boolean isQuoted) {
            return URLEncoder.encode(text(value), StandardCharsets.UTF_8);
        }
    },
    /** A value in a URL's query. */
    QUERY {
        @Override
        String write(JsonNode value, boolean isQuoted) {
            return percent(text(value));
        }
    },
    /** A value in a URL's path, confined to one segment. */
    SEGMENT {
        @Override
        String write(JsonNode value, boolean isQuoted) {
            String text = text(value);
            if (text.chars().allMatch(character -> character == '.')) {
                throw new TemplateException("a value in the path of a URL must not be empty or consist of dots only");
            }
            return percent(text);
        }
    },
    /** A value in a header, which cannot start another header. */
    HEADER {
        @Override
        String write(JsonNode value, boolean isQuoted) {
            String text = text(value);
            if (!text.chars().allMatch(character -> character >= ' ' && character <= '~')) {
                throw new TemplateException("a value in a header must be printable ASCII");
            }
            return text;
        }
    };

    /** @param isQuoted whether the place is between quotes */
    abstract String write(JsonNode value, boolean isQuoted);

    private static String text(JsonNode value) {
        if (value.isNull()) {
            return "";
        }
        return value.isTextual() ? value.textValue() : value.toString();
    }

    /** Percent-encodes a name that a user has chosen, because headers are ASCII. */
    public static String inHeader(String name) {
        return percent(name);
    }

    private static String percent(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8)
                .replace("+", "%20")
                .replace("*", "%2A");
    }
}
