package io.twinbell.tools.terminal;

import io.twinbell.tools.client.CommandClock;
import java.io.PrintWriter;
import java.io.Writer;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Shows the progress of long work. On a terminal it is a bar in one line, which is overwritten and disappears at the
 * end; elsewhere it is a plain line every ten seconds. One thread uses it.
 */
public final class Progress implements AutoCloseable {
    private static final int BAR = 24;
    private static final Duration BETWEEN_BARS = Duration.ofMillis(100);
    private static final Duration BETWEEN_LINES = Duration.ofSeconds(10);
    /** Before this time, the estimate of the remaining time is a guess. */
    private static final Duration FIRST_GUESS = Duration.ofSeconds(2);

    private static final String ERASE = "\r\033[K";

    private final PrintWriter out;
    private final Terminal terminal;
    private final String what;
    private final LongSupplier nanos;
    private final long began;
    private long shownAt;
    private String bar = "";

    /**
     * @param out standard error, so that standard output contains only the command's answer
     * @param what the work, such as {@code importing}
     */
    public Progress(PrintWriter out, Terminal terminal, String what) {
        this(out, terminal, what, new CommandClock()::nanos);
    }

    Progress(PrintWriter out, Terminal terminal, String what, LongSupplier nanos) {
        this.out = out;
        this.terminal = terminal;
        this.what = what;
        this.nanos = nanos;
        began = nanos.getAsLong();
        shownAt = began - BETWEEN_BARS.toNanos();
        if (!terminal.showsErr()) {
            shownAt = began;
        }
    }

    /** Shows a count of a total, such as tasks. A total of 0 or less is not known yet. */
    public void at(long done, long total, String unit) {
        if (total <= 0) {
            show(-1, done + " " + unit);
        } else {
            show((double) done / total, done + " of " + total + " " + unit);
        }
    }

    /**
     * Shows the finished share of the work.
     *
     * @param share from 0 to 1
     * @param detail what is being worked on
     */
    public void at(double share, String detail) {
        show(Math.max(0, share), detail);
    }

    /** Prints a line that stays; the bar continues below it. */
    public void print(String line) {
        erase();
        out.println(line);
        draw();
    }

    /** A writer, to either stream, whose lines stay above the bar, for code that does not know the bar. */
    public PrintWriter above(PrintWriter other) {
        if (!terminal.showsErr()) {
            return other;
        }
        return new PrintWriter(
                new Writer() {
                    private final StringBuilder pending = new StringBuilder();

                    @Override
                    public void write(char[] characters, int offset, int length) {
                        pending.append(characters, offset, length);
                    }

                    @Override
                    public void flush() {
                        if (pending.length() > 0) {
                            erase();
                            other.print(pending);
                            other.flush();
                            pending.setLength(0);
                            draw();
                        }
                    }

                    @Override
                    public void close() {
                        flush();
                    }
                },
                true);
    }

    /** Erases the bar until there is more to show. */
    public void clear() {
        erase();
        bar = "";
    }

    @Override
    public void close() {
        clear();
    }

    private void show(double share, String detail) {
        long now = nanos.getAsLong();
        Duration between = terminal.showsErr() ? BETWEEN_BARS : BETWEEN_LINES;
        if (now - shownAt < between.toNanos()) {
            return;
        }
        shownAt = now;
        if (terminal.showsErr()) {
            bar = cut(what + " " + picture(share) + detail + left(share, now));
            draw();
        } else {
            out.println(what + ": " + detail + (share < 0 ? "" : " (" + percent(share) + ")"));
            out.flush();
        }
    }

    private static String picture(double share) {
        if (share < 0) {
            return "";
        }
        int full = (int) Math.round(Math.min(1, share) * BAR);
        return "[" + "#".repeat(full) + " ".repeat(BAR - full) + "] " + percent(share) + " ";
    }

    private static String percent(double share) {
        return (int) Math.floor(Math.min(1, share) * 100 + 1e-9) + "%";
    }

    private String left(double share, long now) {
        if (share <= 0 || share >= 1 || now - began < FIRST_GUESS.toNanos()) {
            return "";
        }
        long seconds = Math.round((now - began) / 1e9 * (1 - share) / share);
        return ", " + (seconds < 100 ? seconds + " s" : (seconds + 30) / 60 + " min") + " left";
    }

    /** Cuts the line to the terminal's width, because a wrapped line could not be erased. */
    private String cut(String line) {
        return line.length() < terminal.columns() ? line : line.substring(0, terminal.columns() - 1);
    }

    private void draw() {
        if (!bar.isEmpty()) {
            out.print(ERASE + bar);
        }
        out.flush();
    }

    private void erase() {
        if (!bar.isEmpty()) {
            out.print(ERASE);
            out.flush();
        }
    }
}
