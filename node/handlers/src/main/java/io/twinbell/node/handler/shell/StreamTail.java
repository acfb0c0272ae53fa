package io.twinbell.node.handler.shell;

import java.nio.charset.StandardCharsets;

/** Keeps the last bytes of a stream. */
final class StreamTail {
    private static final String CUT = "…\n";

    private final byte[] kept;
    private long read;

    StreamTail(int limit) {
        kept = new byte[limit];
    }

    synchronized void add(byte[] chunk, int length) {
        for (int i = 0; i < length; i++) {
            kept[(int) (read++ % kept.length)] = chunk[i];
        }
    }

    /**
     * Returns the end of the stream with confidential values masked.
     *
     * @param limit the maximum number of characters
     */
    synchronized String text(int limit, OutputMask mask) {
        int length = (int) Math.min(read, kept.length);
        byte[] inOrder = new byte[length];
        for (int i = 0; i < length; i++) {
            inOrder[i] = kept[(int) ((read - length + i) % kept.length)];
        }
        String covered = mask.cover(new String(inOrder, StandardCharsets.UTF_8));
        boolean isCut = read > length || covered.length() > limit;
        if (!isCut) {
            return covered;
        }
        // The cut may have left the end of a secret at the beginning, which the masking does not find.
        int from = Math.max(read > length ? mask.longest() : 0, covered.length() - limit);
        String last = covered.substring(Math.min(from, covered.length()));
        boolean splitsPair = !last.isEmpty() && Character.isLowSurrogate(last.charAt(0));
        return CUT + (splitsPair ? last.substring(1) : last);
    }
}
