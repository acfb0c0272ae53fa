package io.twinbell.ops.terminal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.Iterator;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Writes YAML for people: blocks, quotes only where some reader of YAML 1.1 or 1.2 would see something else than the text,
 * and the same bytes for the same document with any version of any library.
 */
public final class Yaml {
    /** A text that every reader takes for itself: no date, number or indicator begins with a letter, a slash or an underscore. */
    private static final Pattern PLAIN =
            Pattern.compile("[A-Za-z/_](?:[A-Za-z0-9/_.()=+$;@?*<>^~-]| (?=[A-Za-z0-9/_.(])|:(?=[A-Za-z0-9/]))*");

    private static final Set<String> OTHERWISE =
            Set.of("true", "false", "yes", "no", "on", "off", "null", "y", "n", "nan", "inf");
    /** Lines that may stand as they are below an indicator; the first does not begin with a space. */
    private static final Pattern LINES = Pattern.compile("[^\\s\\p{Cntrl}][^\\p{Cntrl}]*(?:\\n[^\\p{Cntrl}]*)+");

    private static final Pattern UNUSUAL = Pattern.compile("[\\x7f-\\x9f\\u2028\\u2029\\ufeff\\ud800-\\udfff]");
    private static final String STEP = "  ";

    private final StringBuilder text = new StringBuilder();

    private Yaml() {}

    /** One document, with a line feed at its end. */
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
            text.append(before).append(inLine(member.getKey())).append(':');
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
            text.append(value.isTextual() ? inLine(value.textValue()) : value.toString())
                    .append('\n');
        }
    }

    private static boolean isBlock(String value) {
        return LINES.matcher(value).matches()
                && !value.endsWith("\n\n")
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
        boolean plain = PLAIN.matcher(value).matches() && !OTHERWISE.contains(value.toLowerCase(Locale.ROOT));
        return plain ? value : quoted(value);
    }

    /** As JSON writes it, which YAML reads, but for what YAML does not take unescaped. */
    private static String quoted(String value) {
        String json = JsonNodeFactory.instance.textNode(value).toString();
        return UNUSUAL.matcher(json).replaceAll(found -> {
            char unusual = found.group().charAt(0);
            return found.group().length() > 1
                    ? found.group()
                    : Matcher.quoteReplacement("\\u%04x".formatted((int) unusual));
        });
    }
}
