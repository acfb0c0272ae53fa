package io.twinbell.tools.terminal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.twinbell.node.json.ControlCharacters;
import java.util.Iterator;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Writes YAML for people: block style, quotes only where some YAML 1.1 or 1.2 reader would read something other than
 * the text, and the same bytes for the same document, independent of library versions.
 */
public final class Yaml {
    private static final String PLAIN_SIGNS = "/_.()=+$;@?*<>^~-";
    private static final Set<String> OTHERWISE =
            Set.of("true", "false", "yes", "no", "on", "off", "null", "y", "n", "nan", "inf");
    /** Further characters that readers reject unescaped. */
    private static final Pattern UNUSUAL = Pattern.compile("[\\ufffe\\uffff\\ud800-\\udfff]");

    /** Below the 1,024 characters within which readers look for the colon of a key. */
    private static final int MAX_KEY = 1000;

    private static final String STEP = "  ";

    private final StringBuilder text = new StringBuilder();

    private Yaml() {}

    /** One document, ending in a line feed. */
    public static String text(JsonNode document) {
        Yaml yaml = new Yaml();
        if (document.isContainerNode() && !document.isEmpty()) {
            yaml.block(document, "");
        } else {
            yaml.value(document, "");
        }
        return yaml.text.toString();
    }

    private void block(JsonNode node, String indent) {
        if (node.isArray()) {
            for (JsonNode item : node) {
                text.append(indent).append("-");
                item(item, indent + STEP);
            }
            return;
        }
        members(node, indent, indent);
    }

    /** An object in a list begins on the line of its dash. */
    private void item(JsonNode item, String indent) {
        text.append(' ');
        if (item.isObject() && !item.isEmpty()) {
            members(item, "", indent);
        } else if (item.isArray() && !item.isEmpty()) {
            text.setLength(text.length() - 1);
            text.append('\n');
            block(item, indent);
        } else {
            value(item, indent);
        }
    }

    private void members(JsonNode object, String first, String indent) {
        Iterator<Map.Entry<String, JsonNode>> members = object.properties().iterator();
        String before = first;
        while (members.hasNext()) {
            Map.Entry<String, JsonNode> member = members.next();
            String key = inLine(member.getKey());
            text.append(before);
            if (key.length() > MAX_KEY) {
                text.append("? ").append(key).append('\n').append(indent);
            } else {
                text.append(key);
            }
            text.append(':');
            JsonNode value = member.getValue();
            if (value.isContainerNode() && !value.isEmpty()) {
                text.append('\n');
                block(value, indent + STEP);
            } else {
                text.append(' ');
                value(value, indent + STEP);
            }
            before = indent;
        }
    }

    private void value(JsonNode value, String indent) {
        if (value.isTextual() && isBlock(value.textValue())) {
            lines(value.textValue(), indent.isEmpty() ? STEP : indent);
        } else {
            text.append(scalar(value)).append('\n');
        }
    }

    /** Writes numbers in full, because readers take 1E-7 for a text. */
    private static String scalar(JsonNode value) {
        if (value.isTextual()) {
            return inLine(value.textValue());
        }
        return value.isFloatingPointNumber() ? value.decimalValue().toPlainString() : value.toString();
    }

    /**
     * Whether the text has several lines and may be written as a block; its first line must not begin with a space.
     */
    private static boolean isBlock(String value) {
        return value.indexOf('\n') > 0
                && !value.endsWith("\n\n")
                && !Character.isWhitespace(value.charAt(0))
                && value.chars().noneMatch(c -> c < ' ' && c != '\n')
                && !ControlCharacters.isIn(value.replace('\n', 'x'))
                && !UNUSUAL.matcher(value).find();
    }

    private void lines(String value, String indent) {
        boolean endsWithFeed = value.endsWith("\n");
        text.append(endsWithFeed ? "|\n" : "|-\n");
        String content = endsWithFeed ? value.substring(0, value.length() - 1) : value;
        for (String line : content.split("\n", -1)) {
            text.append(line.isEmpty() ? "" : indent).append(line).append('\n');
        }
    }

    private static String inLine(String value) {
        return isPlain(value) && !OTHERWISE.contains(value.toLowerCase(Locale.ROOT)) ? value : quoted(value);
    }

    /**
     * Whether every reader reads the unquoted text as itself. No date, number or indicator begins with a letter, a
     * slash or an underscore.
     */
    private static boolean isPlain(String value) {
        if (value.isEmpty() || !isWord(value.charAt(0)) || isDigit(value.charAt(0))) {
            return false;
        }
        for (int i = 1; i < value.length(); i++) {
            char c = value.charAt(i);
            char next = i + 1 < value.length() ? value.charAt(i + 1) : '\n';
            boolean isFine = c == ' '
                    ? isWord(next) || next == '.' || next == '('
                    : c == ':' ? isWord(next) && next != '_' : isWord(c) || PLAIN_SIGNS.indexOf(c) >= 0;
            if (!isFine) {
                return false;
            }
        }
        return true;
    }

    private static boolean isWord(char c) {
        return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || isDigit(c) || c == '/' || c == '_';
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    /** JSON's quoting, which YAML reads, plus escapes for characters that YAML rejects or a terminal hides. */
    private static String quoted(String value) {
        String json = ControlCharacters.escaped(
                JsonNodeFactory.instance.textNode(value).toString());
        return UNUSUAL.matcher(json).replaceAll(found -> {
            char unusual = found.group().charAt(0);
            return found.group().length() > 1
                    ? found.group()
                    : Matcher.quoteReplacement(String.format(Locale.ROOT, "\\u%04x", (int) unusual));
        });
    }
}
