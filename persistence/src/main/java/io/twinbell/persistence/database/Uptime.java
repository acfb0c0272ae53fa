package io.twinbell.persistence.database;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Time since the machine started, its sleep included: Linux tells it in {@code /proc/uptime}, in steps of 10 ms (the
 * kernel's CLOCK_BOOTTIME). Where nothing tells it, this is the monotonic clock, which says of a sleep that it was none.
 *
 * <p>A read costs a system call or two. The file stays open: what is asked at every start must not run out of file
 * handles. It isn't a channel: the first read on an interrupted thread would close that for all.
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

    /** @param otherwise what is told instead when the file isn't there, or can't be read one day */
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
            LOG.warn("the machine's uptime can't be read any more; a sleep shows by the wall clock alone", e);
            forget();
            return otherwise.nanos();
        }
    }

    /** The first of two numbers of seconds. */
    private long parsed(int length) {
        String line = new String(text, 0, Math.max(length, 0), StandardCharsets.US_ASCII);
        return new BigDecimal(line.split(" ", 2)[0]).scaleByPowerOfTen(9).longValue();
    }

    private void forget() {
        try {
            file.close();
        } catch (IOException e) {
            LOG.debug("its file did not close", e);
        }
        file = null;
    }
}
