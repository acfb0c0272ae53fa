package io.twinbell.node.handler;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** Reads a stream to its end and keeps the last of it. */
final class Tail {
    private static final String CUT = "…\n";

    private final byte[] kept;
    private long read;

    Tail(int limit) {
        kept = new byte[limit];
    }

    void readFrom(InputStream in) throws IOException {
        byte[] chunk = new byte[8192];
        for (int length = in.read(chunk); length >= 0; length = in.read(chunk)) {
            for (int i = 0; i < length; i++) {
                kept[(int) (read++ % kept.length)] = chunk[i];
            }
        }
    }

    String text() {
        int length = (int) Math.min(read, kept.length);
        byte[] inOrder = new byte[length];
        for (int i = 0; i < length; i++) {
            inOrder[i] = kept[(int) ((read - length + i) % kept.length)];
        }
        return (read > length ? CUT : "") + new String(inOrder, StandardCharsets.UTF_8);
    }
}
