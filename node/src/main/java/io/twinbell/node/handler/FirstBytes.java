package io.twinbell.node.handler;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.nio.entity.AbstractBinAsyncEntityConsumer;

/** Reads a body to its end, so that the connection can be used again, and keeps only its beginning. */
final class FirstBytes extends AbstractBinAsyncEntityConsumer<byte[]> {
    private static final int CHUNK = 64 * 1024;

    private final int limit;
    private final ByteArrayOutputStream kept = new ByteArrayOutputStream();

    FirstBytes(int limit) {
        this.limit = limit;
    }

    @Override
    protected void streamStart(ContentType contentType) {
        kept.reset();
    }

    @Override
    protected int capacityIncrement() {
        return CHUNK;
    }

    @Override
    protected void data(ByteBuffer source, boolean endOfStream) {
        byte[] bytes = new byte[Math.min(source.remaining(), limit - kept.size())];
        source.get(bytes);
        kept.writeBytes(bytes);
        source.position(source.limit());
    }

    @Override
    protected byte[] generateContent() {
        return kept.toByteArray();
    }

    @Override
    public void releaseResources() {
        kept.reset();
    }
}
