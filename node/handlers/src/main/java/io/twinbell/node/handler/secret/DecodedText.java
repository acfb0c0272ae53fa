package io.twinbell.node.handler.secret;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A text after decoding, with the place in the original text that each character comes from. So a secret is found no
 * matter which of its characters were escaped.
 */
final class DecodedText {
    /** The bytes of one character in UTF-8, or one other byte; H stands for the prefix of a byte. */
    private static final String UTF_8 =
            "(?:H[0-7]X|H[c-dC-D]XH[89abAB]X|H[eE]X(?:H[89abAB]X){2}|H[fF]X(?:H[89abAB]X){3}|HXX)";

    private static final Pattern PERCENT = bytes("%");
    private static final Pattern BACKSLASH =
            Pattern.compile("\\\\u[0-9a-fA-F]{4}|" + bytes("\\\\x").pattern() + "|\\\\[\"'\\\\/bfnrt]");
    private static final Pattern ENTITY =
            Pattern.compile("&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|amp|lt|gt|quot|apos);");
    private static final Pattern PLUS = Pattern.compile("\\+");
    private static final Pattern LINE_BREAK = Pattern.compile("\\r?\\n[ \\t]*");
    private static final Pattern BETWEEN_BYTES = Pattern.compile("[\\s:]+");

    private static final Map<String, String> ENTITIES =
            Map.of("amp", "&", "lt", "<", "gt", ">", "quot", "\"", "apos", "'");
    private static final Map<String, String> CONTROLS = Map.of("b", "\b", "f", "\f", "n", "\n", "r", "\r", "t", "\t");

    private final String text;
    private final int[] starts;
    private final int[] ends;

    private DecodedText(String text, int[] starts, int[] ends) {
        this.text = text;
        this.starts = starts;
        this.ends = ends;
    }

    static DecodedText of(String original) {
        int[] starts = new int[original.length()];
        Arrays.setAll(starts, i -> i);
        int[] ends = new int[original.length()];
        Arrays.setAll(ends, i -> i + 1);
        return new DecodedText(original, starts, ends);
    }

    private static Pattern bytes(String prefix) {
        return Pattern.compile(UTF_8.replace("X", "[0-9a-fA-F]").replace("H", prefix));
    }

    String text() {
        return text;
    }

    /** The first character of the original that belongs to a character of this text. */
    int start(int index) {
        return starts[index];
    }

    /** The character of the original after those that belong to a character of this text. */
    int end(int index) {
        return ends[index];
    }

    DecodedText percentDecoded() {
        return replaced(PERCENT, escape -> decoded(escape.replace("%", "")));
    }

    /** In forms a plus sign is a blank. */
    DecodedText formDecoded() {
        return replaced(PLUS, plus -> " ").percentDecoded();
    }

    /** The escapes of JSON and of many languages. */
    DecodedText unescaped() {
        return replaced(BACKSLASH, DecodedText::meaning);
    }

    DecodedText withoutEntities() {
        return replaced(ENTITY, DecodedText::entity);
    }

    /** Encoders of Base64 break lines, and continued lines may be indented. */
    DecodedText withoutLineBreaks() {
        return replaced(LINE_BREAK, any -> "");
    }

    DecodedText withoutSeparators() {
        return replaced(BETWEEN_BYTES, any -> "");
    }

    DecodedText inLowerCase() {
        return new DecodedText(lowerCase(text), starts, ends);
    }

    private static String lowerCase(String text) {
        String lower = text.toLowerCase(Locale.ROOT);
        // In lower case a few letters become longer; then positions would not match.
        return lower.length() == text.length() ? lower : text;
    }

    private static String decoded(String hex) {
        byte[] bytes = HexFormat.of().parseHex(hex);
        return new String(
                bytes, bytes.length == 1 && bytes[0] < 0 ? StandardCharsets.ISO_8859_1 : StandardCharsets.UTF_8);
    }

    private static String meaning(String escape) {
        return switch (escape.charAt(1)) {
            case 'u' -> String.valueOf((char) Integer.parseInt(escape.substring(2), 16));
            case 'x' -> decoded(escape.replace("\\x", ""));
            default -> CONTROLS.getOrDefault(escape.substring(1), escape.substring(1));
        };
    }

    private static String entity(String entity) {
        String name = entity.substring(1, entity.length() - 1);
        if (name.charAt(0) != '#') {
            return ENTITIES.get(name);
        }
        boolean isHex = name.charAt(1) == 'x' || name.charAt(1) == 'X';
        int code = isHex ? Integer.parseInt(name.substring(2), 16) : Integer.parseInt(name.substring(1));
        return Character.isValidCodePoint(code) ? Character.toString(code) : entity;
    }

    /** Returns this text itself if the pattern does not occur. */
    private DecodedText replaced(Pattern pattern, UnaryOperator<String> replacement) {
        Matcher matcher = pattern.matcher(text);
        if (!matcher.find()) {
            return this;
        }
        StringBuilder decoded = new StringBuilder(text.length());
        int[] from = new int[text.length()];
        int[] to = new int[text.length()];
        int next = 0;
        do {
            next = copy(next, matcher.start(), decoded, from, to);
            for (char c : replacement.apply(matcher.group()).toCharArray()) {
                from[decoded.length()] = starts[matcher.start()];
                to[decoded.length()] = ends[matcher.end() - 1];
                decoded.append(c);
            }
            next = matcher.end();
        } while (matcher.find());
        copy(next, text.length(), decoded, from, to);
        return new DecodedText(decoded.toString(), from, to);
    }

    private int copy(int first, int limit, StringBuilder decoded, int[] from, int[] to) {
        for (int i = first; i < limit; i++) {
            from[decoded.length()] = starts[i];
            to[decoded.length()] = ends[i];
            decoded.append(text.charAt(i));
        }
        return limit;
    }

    /** The text in each of the encodings that a secret may be in. */
    static List<DecodedText> all(String text) {
        DecodedText plain = of(text);
        DecodedText percent = plain.percentDecoded();
        DecodedText unescaped = plain.unescaped();
        return List.of(
                        plain,
                        percent,
                        plain.formDecoded(),
                        percent.percentDecoded(),
                        unescaped,
                        unescaped.unescaped(),
                        unescaped.percentDecoded(),
                        plain.withoutEntities(),
                        unescaped.withoutEntities())
                .stream()
                .distinct()
                .toList();
    }
}
