package io.twinbell.tools.terminal;

import io.twinbell.tools.client.CommandClock;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.function.LongSupplier;

/** Tells of the progress of long work, in a line every ten seconds. One thread uses it. */
public final class Progress {
    private static final Duration BETWEEN_LINES = Duration.ofSeconds(10);

    private final PrintWriter out;
    private final String what;
    private final LongSupplier nanos;
    private long shownAt;

    /**
     * @param out standard error, so that standard output contains only the command's answer
     * @param what the work, such as {@code importing}
     */
    public Progress(PrintWriter out, String what) {
        this(out, what, new CommandClock()::nanos);
    }

    Progress(PrintWriter out, String what, LongSupplier nanos) {
        this.out = out;
        this.what = what;
        this.nanos = nanos;
        shownAt = nanos.getAsLong();
    }

    /** Shows a count of a total, such as tasks. A total of 0 or less is not known yet. */
    public void at(long done, long total, String unit) {
        if (total <= 0) {
            show(done + " " + unit);
        } else {
            at((double) done / total, done + " of " + total + " " + unit);
        }
    }

    /**
     * Shows the finished share of the work.
     *
     * @param share from 0 to 1
     * @param detail what is being worked on
     */
    public void at(double share, String detail) {
        show(detail + " (" + (int) Math.floor(Math.min(1, Math.max(0, share)) * 100 + 1e-9) + "%)");
    }

    private void show(String text) {
        long now = nanos.getAsLong();
        if (now - shownAt >= BETWEEN_LINES.toNanos()) {
            shownAt = now;
            out.println(what + ": " + text);
            out.flush();
        }
    }
}
