package io.twinbell.persistence.clock;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A clock of the time since the machine started, including its sleep. Linux provides it in {@code /proc/uptime}, in
 * steps of 10 ms (the kernel's CLOCK_BOOTTIME). On other systems this is the monotonic clock, which may not count
 * sleep.
 *
 * <p>A read costs one or two system calls. The file stays open, because a clock that is read at every start must not
 * fail for lack of file handles. It is no channel, because the first read on an interrupted thread would close a
 * channel for all.
 */
final class Uptime implements Ticker {
    private static final Logger LOG = LoggerFactory.getLogger(Uptime.class);
    private static final Path FILE = Path.of("/proc/uptime");
    private static final int LONGEST = 64;

    private final Ticker otherwise;
    private final byte[] text = new byte[LONGEST];
    private RandomAccessFile file;

    private Uptime(RandomAccessFile file, Ticker otherwise) {
        this.file = file;
        this.otherwise = otherwise;
    }

    static Ticker ofTheMachine() {
        return in(FILE, SYSTEM);
    }

    /** @param otherwise the clock to use if the file does not exist, or can no longer be read */
    static Ticker in(Path file, Ticker otherwise) {
        try {
            return new Uptime(new RandomAccessFile(file.toFile(), "r"), otherwise);
        } catch (FileNotFoundException e) {
            return otherwise;
        }
    }

    @Override
    public synchronized long nanos() {
        if (file == null) {
            return otherwise.nanos();
        }
        try {
            file.seek(0);
            return parsed(file.read(text));
        } catch (IOException | NumberFormatException e) {
            LOG.warn(
                    "the machine's uptime cannot be read any more; from now on only the wall clock shows whether"
                            + " the machine has slept",
                    e);
            forget();
            return otherwise.nanos();
        }
    }

    /** Parses the first of two numbers of seconds. */
    private long parsed(int length) {
        String line = new String(text, 0, Math.max(length, 0), StandardCharsets.US_ASCII);
        return new BigDecimal(line.split(" ", 2)[0]).scaleByPowerOfTen(9).longValue();
    }

    private void forget() {
        try {
            file.close();
        } catch (IOException e) {
            LOG.debug("closing the uptime file failed", e);
        }
        file = null;
    }
}
