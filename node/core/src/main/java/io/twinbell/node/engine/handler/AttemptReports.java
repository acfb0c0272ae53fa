package io.twinbell.node.engine.handler;

import io.twinbell.persistence.ledger.AttemptReport;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.OptionalDouble;

/** Collects the reports of one running attempt: its latest progress and its latest log lines, within a bound. */
public final class AttemptReports {
    static final int LOG_LIMIT = 8192;
    private static final int LINE_LIMIT = 1000;
    private static final int MESSAGE_LIMIT = 200;
    private static final String CUT = "… earlier lines are omitted";

    /** Null until the first line: of thousands of runs in memory, few report anything. */
    private Deque<String> lines;

    private OptionalDouble progress = OptionalDouble.empty();
    private String message;
    private int length;
    private boolean isCut;
    private long version;
    private long writtenVersion;

    public synchronized void progress(double fraction, String text) {
        if (!(0 <= fraction && fraction <= 1)) {
            throw new IllegalArgumentException("progress must be between 0 and 1, not " + fraction);
        }
        progress = OptionalDouble.of(fraction);
        message = text == null ? null : TextLimit.to(MESSAGE_LIMIT, text);
        version++;
    }

    public synchronized void log(String line) {
        String kept = TextLimit.to(LINE_LIMIT, line);
        lines = lines == null ? new ArrayDeque<>() : lines;
        lines.add(kept);
        length += kept.length() + 1;
        while (length > LOG_LIMIT) {
            length -= lines.remove().length() + 1;
            isCut = true;
        }
        version++;
    }

    /** The version of the current {@link #report}; equal to {@link #writtenVersion} if everything is stored. */
    public synchronized long version() {
        return version;
    }

    /** The latest version that is stored durably. */
    public synchronized long writtenVersion() {
        return writtenVersion;
    }

    /** Records that this version is stored durably. */
    public synchronized void written(long durable) {
        writtenVersion = durable;
    }

    /** Returns the current progress, message and log. */
    public synchronized AttemptReport report() {
        String log = lines == null ? null : (isCut ? CUT + "\n" : "") + String.join("\n", lines);
        return new AttemptReport(progress, message, log);
    }
}
