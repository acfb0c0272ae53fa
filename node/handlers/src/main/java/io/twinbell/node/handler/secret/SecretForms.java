package io.twinbell.node.handler.secret;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** The forms in which a secret may appear in a text: unchanged, or encoded as receivers and tools do. */
public final class SecretForms {
    private static final String COVER = "***";

    /** A shorter encoded form would occur in texts by chance. */
    private static final int SHORTEST = 6;

    /** The most characters that an encoding needs for a byte, as an escape such as {@code \}{@code u0041}. */
    private static final int CHARACTERS_OF_BYTE = 6;

    private static final Pattern BASE64 = Pattern.compile("[A-Za-z0-9+/]{8,}={0,2}");

    private final Set<String> plain = new LinkedHashSet<>();
    private final Set<String> base64 = new LinkedHashSet<>();
    private final Set<String> hex = new LinkedHashSet<>();
    private final int longest;

    /** A part of a text that is or contains a secret. */
    private record Found(int start, int end) {}

    private SecretForms(String value) {
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        longest = CHARACTERS_OF_BYTE * bytes.length;
        if (!value.isEmpty()) {
            plain.add(value);
        }
        addBase64(bytes);
        if (2 * bytes.length >= SHORTEST) {
            hex.add(HexFormat.of().formatHex(bytes));
        }
        addDecoded(value);
    }

    public static SecretForms of(String value) {
        return new SecretForms(value);
    }

    /** The length of the longest form. */
    public int longest() {
        return longest;
    }

    /**
     * Adds the Base64 forms for each position of the secret within the encoded text; in Basic authentication, for
     * example, the password follows the user name. At each of the three offsets within a group of three bytes, the
     * characters that depend only on the secret are fixed.
     */
    private void addBase64(byte[] bytes) {
        for (int offset = 0; offset < 3; offset++) {
            byte[] shifted = new byte[offset + bytes.length];
            System.arraycopy(bytes, 0, shifted, offset, bytes.length);
            String encoded = Base64.getEncoder().withoutPadding().encodeToString(shifted);
            int from = (offset * 8 + 5) / 6;
            int to = shifted.length * 8 / 6;
            if (to - from >= SHORTEST) {
                base64.add(encoded.substring(from, to));
                base64.add(encoded.substring(from, to).replace('+', '-').replace('/', '_'));
            }
        }
    }

    /** Adds the decoded forms of a secret that is itself the encoded pair of Basic authentication. */
    private void addDecoded(String value) {
        if (!BASE64.matcher(value).matches() || value.length() % 4 != 0) {
            return;
        }
        String decoded = new String(Base64.getDecoder().decode(value), StandardCharsets.UTF_8);
        if (decoded.length() >= SHORTEST && decoded.chars().allMatch(c -> c >= ' ' && c <= '~')) {
            plain.add(decoded);
            String password = decoded.substring(decoded.indexOf(':') + 1);
            if (password.length() >= SHORTEST) {
                plain.add(password);
            }
        }
    }

    /** Replaces every form of the secrets with stars. */
    public static String cover(String text, Collection<SecretForms> secrets) {
        if (text == null || secrets.isEmpty()) {
            return text;
        }
        List<Found> found = new ArrayList<>();
        for (DecodedText decoded : DecodedText.all(text)) {
            DecodedText joined = decoded.withoutLineBreaks();
            DecodedText bytes = decoded.withoutSeparators().inLowerCase();
            for (SecretForms secret : secrets) {
                find(secret.plain, decoded, found);
                find(secret.base64, joined, found);
                find(secret.hex, bytes, found);
            }
        }
        return covered(text, found);
    }

    private static void find(Set<String> forms, DecodedText in, List<Found> found) {
        for (String form : forms) {
            int at = in.text().indexOf(form);
            while (at >= 0) {
                found.add(new Found(in.start(at), in.end(at + form.length() - 1)));
                at = in.text().indexOf(form, at + form.length());
            }
        }
    }

    /** Parts that overlap become one. */
    private static String covered(String text, List<Found> found) {
        if (found.isEmpty()) {
            return text;
        }
        found.sort(Comparator.comparingInt(Found::start).thenComparing(Found::end, Comparator.reverseOrder()));
        StringBuilder covered = new StringBuilder(text.length());
        int end = 0;
        for (Found part : found) {
            if (part.start() >= end) {
                covered.append(text, end, part.start()).append(COVER);
            }
            end = Math.max(end, part.end());
        }
        return covered.append(text, end, text.length()).toString();
    }
}
