package io.twinbell.node.handler.http;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import java.util.zip.Inflater;
import java.util.zip.InflaterInputStream;

/**
 * The beginning of an answer as text. If it cannot be decoded, the text describes it instead.
 *
 * @param isCut whether the body was longer
 */
record ResponseText(String text, boolean isCut) {
    private static final Pattern CHARSET = Pattern.compile("(?i);\\s*charset\\s*=\\s*\"?([^\";\\s]+)");
    private static final int MOST_CODINGS = 3;

    /**
     * Decodes the beginning of a body.
     *
     * @param kept the first bytes as received
     * @param isCut whether the body was longer
     * @param codings {@code Content-Encoding}, or null
     * @param contentType {@code Content-Type}, or null
     * @param limit the maximum number of decoded bytes; bounds highly compressed bodies
     */
    static ResponseText of(byte[] kept, boolean isCut, String codings, String contentType, int limit) {
        List<String> applied = codings == null
                ? List.of()
                : Stream.of(codings.split(","))
                        .map(coding -> coding.strip().toLowerCase(Locale.ROOT))
                        .filter(coding -> !coding.isEmpty() && !coding.equals("identity"))
                        .collect(Collectors.toList());
        if (kept.length == 0 || applied.isEmpty()) {
            return new ResponseText(decode(kept, contentType), isCut);
        }
        if (applied.size() > MOST_CODINGS || !applied.stream().allMatch(ResponseText::isKnown)) {
            return new ResponseText(undecoded(codings), false);
        }
        Collections.reverse(applied);
        byte[] plain = unpack(kept, applied, limit);
        if (plain.length == 0) {
            return new ResponseText(undecoded(codings), false);
        }
        return new ResponseText(decode(plain, contentType), isCut || plain.length >= limit);
    }

    private static String undecoded(String codings) {
        String named = codings.length() > 100 ? codings.substring(0, 100) : codings;
        return "[the body is encoded as " + named + " and could not be decoded]";
    }

    private static boolean isKnown(String coding) {
        return List.of("gzip", "x-gzip", "deflate").contains(coding);
    }

    /** Returns the bytes up to the first invalid one. A long body was cut, so its end is not valid. */
    private static byte[] unpack(byte[] packed, List<String> codings, int limit) {
        byte[] plain = new byte[limit];
        int length = 0;
        try {
            InputStream in = new ByteArrayInputStream(packed);
            for (String coding : codings) {
                in = coding.equals("deflate") ? inflater(in) : new GZIPInputStream(in);
            }
            for (int read = in.read(plain, 0, limit); read > 0; read = in.read(plain, length, limit - length)) {
                length += read;
            }
        } catch (IOException e) {
            // The beginning that could be read is enough.
            return Arrays.copyOf(plain, length);
        }
        return Arrays.copyOf(plain, length);
    }

    /** Reads deflate data with the zlib header that the standard requires, or without it, as some servers send it. */
    private static InputStream inflater(InputStream in) throws IOException {
        byte[] head = in.readNBytes(2);
        boolean hasHeader =
                head.length == 2 && (head[0] & 0x0f) == 8 && ((head[0] & 0xff) << 8 | head[1] & 0xff) % 31 == 0;
        return new InflaterInputStream(
                new SequenceInputStream(new ByteArrayInputStream(head), in), new Inflater(!hasHeader));
    }

    private static String decode(byte[] bytes, String contentType) {
        return new String(bytes, charset(contentType));
    }

    private static Charset charset(String contentType) {
        Matcher declared = CHARSET.matcher(contentType == null ? "" : contentType);
        try {
            return declared.find() ? Charset.forName(declared.group(1)) : StandardCharsets.UTF_8;
        } catch (IllegalArgumentException e) {
            return StandardCharsets.UTF_8;
        }
    }
}
