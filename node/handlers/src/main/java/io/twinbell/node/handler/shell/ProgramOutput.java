package io.twinbell.node.handler.shell;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a command prints, read to its end on a thread of its own. A process that the command left behind and that cannot
 * be found may keep the output open for ever; then the output is abandoned.
 */
final class ProgramOutput {
    private static final Logger LOG = LoggerFactory.getLogger(ProgramOutput.class);

    private final InputStream stream;
    private final StreamTail tail;
    private final CompletableFuture<Void> end = new CompletableFuture<>();
    private volatile boolean isAbandoned;

    /** @param limit how many bytes are kept */
    ProgramOutput(InputStream stream, int limit) {
        this.stream = stream;
        tail = new StreamTail(limit);
    }

    /** Reads until the end, or until a process writes to an output that is abandoned: that process gets SIGPIPE. */
    void read() {
        // When a process has ended, the JDK reads what is left of its output without a bound, unless it is locked.
        synchronized (stream) {
            try (stream) {
                byte[] chunk = new byte[8192];
                for (int length = stream.read(chunk); length >= 0 && !isAbandoned; length = stream.read(chunk)) {
                    tail.add(chunk, length);
                }
                end.complete(null);
            } catch (IOException e) {
                end.completeExceptionally(e);
            }
        }
    }

    /** Completes when the output is read or abandoned. */
    CompletableFuture<Void> end() {
        return end;
    }

    /** Waits for the end of the output of a command that has ended, and abandons it if it does not come in time. */
    void awaitEnd(Duration bound) throws IOException {
        try {
            end.get(bound.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            LOG.warn("a process that the command left running keeps its output open; its output is not read any more");
            abandon();
        } catch (InterruptedException e) {
            abandon();
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            throw new IOException("the output cannot be read: " + e.getCause().getMessage(), e.getCause());
        }
    }

    private void abandon() {
        isAbandoned = true;
        end.complete(null);
    }

    /** The end of what was read so far, with confidential values masked, at most {@code limit} characters. */
    String text(int limit, OutputMask mask) {
        return tail.text(limit, mask);
    }

    /** Keeps the last bytes of a stream. */
    private static final class StreamTail {
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
}
