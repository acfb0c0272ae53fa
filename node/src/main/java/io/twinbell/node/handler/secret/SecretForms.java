package io.twinbell.node.handler.secret;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** The forms in which a secret may appear in a text: unchanged, and as receivers and tools encode it. */
public final class SecretForms {
    /** A shorter encoded form would occur in texts by chance. */
    private static final int SHORTEST = 6;
    /** For a longer value, such as a key with its certificate, only the common forms are searched. */
    private static final int LONGEST = 4096;

    private static final Pattern BASE64 = Pattern.compile("[A-Za-z0-9+/]{8,}={0,2}");

    private SecretForms() {}

    /** Returns the forms, longest first, so that none masks a part of another. */
    public static List<String> of(String value) {
        Set<String> forms = new LinkedHashSet<>();
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        forms.add(value);
        String percent = URLEncoder.encode(value, StandardCharsets.UTF_8);
        forms.add(percent);
        forms.add(lowerCaseEscapes(percent));
        forms.add(percent.replace("+", "%20"));
        forms.add(lowerCaseEscapes(percent.replace("+", "%20")));
        String json = new String(JsonStringEncoder.getInstance().quoteAsString(value));
        forms.add(json);
        forms.add(json.replace("/", "\\/"));
        forms.add(html(value, "&#39;"));
        forms.add(html(value, "'"));
        base64(bytes, forms);
        if (value.length() <= LONGEST) {
            forms.add(unicodeEscapes(json, "%04x"));
            forms.add(unicodeEscapes(json, "%04X"));
            add(HexFormat.of().formatHex(bytes), forms);
            add(HexFormat.of().withUpperCase().formatHex(bytes), forms);
            add(HexFormat.of().withUpperCase().withPrefix("%").formatHex(bytes), forms);
            add(HexFormat.of().withPrefix("%").formatHex(bytes), forms);
            decoded(value, forms);
        }
        return forms.stream()
                .sorted(Comparator.comparingInt(String::length).reversed())
                .toList();
    }

    private static void add(String form, Set<String> forms) {
        if (form.length() >= SHORTEST) {
            forms.add(form);
        }
    }

    /**
     * Adds the Base64 forms for each position of the secret within the encoded text; in Basic authentication, for
     * example, the password follows the user name. At each of the three offsets within a group of bytes, the
     * characters that depend on the secret alone are fixed.
     */
    private static void base64(byte[] bytes, Set<String> forms) {
        for (int offset = 0; offset < 3; offset++) {
            byte[] shifted = new byte[offset + bytes.length];
            System.arraycopy(bytes, 0, shifted, offset, bytes.length);
            String encoded = Base64.getEncoder().withoutPadding().encodeToString(shifted);
            int from = (offset * 8 + 5) / 6;
            int to = shifted.length * 8 / 6;
            if (to > from) {
                add(encoded.substring(from, to), forms);
                add(encoded.substring(from, to).replace('+', '-').replace('/', '_'), forms);
            }
        }
    }

    /** Adds the decoded forms of a secret that is itself the encoded pair of Basic authentication. */
    private static void decoded(String value, Set<String> forms) {
        if (!BASE64.matcher(value).matches() || value.length() % 4 != 0) {
            return;
        }
        String plain = new String(Base64.getDecoder().decode(value), StandardCharsets.UTF_8);
        if (plain.length() >= SHORTEST && plain.chars().allMatch(c -> c >= ' ' && c <= '~')) {
            forms.add(plain);
            add(plain.substring(plain.indexOf(':') + 1), forms);
        }
    }

    private static String lowerCaseEscapes(String percent) {
        return Pattern.compile("%..")
                .matcher(percent)
                .replaceAll(escape -> escape.group().toLowerCase(Locale.ROOT));
    }

    private static String unicodeEscapes(String text, String format) {
        StringBuilder escaped = new StringBuilder();
        for (char c : text.toCharArray()) {
            if (c < 128) {
                escaped.append(c);
            } else {
                escaped.append("\\u").append(String.format(Locale.ROOT, format, (int) c));
            }
        }
        return escaped.toString();
    }

    private static String html(String text, String apostrophe) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;")
                .replace("'", apostrophe);
    }
}
