package io.twinbell.node.template;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import com.fasterxml.jackson.databind.JsonNode;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/** How a value is written where it is put, so that it stays one value there whatever it contains. */
public enum Escape {
    /** As it is. */
    NONE {
        @Override
        String write(JsonNode value, boolean isQuoted) {
            return text(value);
        }
    },
    /** Between quotes, a text's characters; elsewhere, any JSON. */
    JSON {
        @Override
        String write(JsonNode value, boolean isQuoted) {
            return isQuoted ? new String(JsonStringEncoder.getInstance().quoteAsString(text(value))) : value.toString();
        }
    },
    /** The value of a form's field. */
    FORM {
        @Override
        String write(JsonNode value, boolean isQuoted) {
            return URLEncoder.encode(text(value), StandardCharsets.UTF_8);
        }
    },
    /** In a URL's query. */
    QUERY {
        @Override
        String write(JsonNode value, boolean isQuoted) {
            return percent(text(value));
        }
    },
    /** In a URL's path: part of one segment, which it can't leave. */
    SEGMENT {
        @Override
        String write(JsonNode value, boolean isQuoted) {
            String text = text(value);
            if (text.chars().allMatch(character -> character == '.')) {
                throw new TemplateException("a value in the path of a URL must not be empty, nor only dots");
            }
            return percent(text);
        }
    },
    /** In a header: it can't begin another one. */
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

    /** @param isQuoted whether the place lies between quotes */
    abstract String write(JsonNode value, boolean isQuoted);

    private static String text(JsonNode value) {
        if (value.isNull()) {
            return "";
        }
        return value.isTextual() ? value.textValue() : value.toString();
    }

    /** A name of people's own choosing, percent-encoded: headers are ASCII. */
    public static String inHeader(String name) {
        return percent(name);
    }

    private static String percent(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8)
                .replace("+", "%20")
                .replace("*", "%2A");
    }
}
