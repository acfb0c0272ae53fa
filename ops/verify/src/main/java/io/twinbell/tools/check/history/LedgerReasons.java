package io.twinbell.tools.check.history;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The ledger's reason texts that rules depend on. A test keeps them equal to the texts that the node writes. */
public final class LedgerReasons {
    /** A task that no longer exists cannot run, so its execution is dropped whatever its policy was. */
    public static final String TASK_GONE = "its task is gone";
    /** A person released the stuck execution. */
    public static final String RELEASED = "released by hand";
    /** An attempt whose process ended without recording an outcome. */
    public static final String LEFT = " was left without an outcome by ";
    /** The orphaned execution runs again. */
    public static final String RUN_AGAIN = "; run again";
    /** A slot was skipped because its row would soon be past the ledger's retention. */
    public static final String TOO_OLD = "older than the ledger's retention";
    /** A slot whose master and primary were lost together. */
    public static final String IN_DOUBT =
            "IN_DOUBT: it may have run on a primary that was lost together with its master";
    /** After a restore, an operator chose not to run the slot again, however recently it was due. */
    public static final String RESTORED = "may have run before the database was restored";
    /** A slot that found its task's queue full. */
    public static final String QUEUE_FULL = " waited already";
    /** Slots that were not claimed while firing was paused for the whole cluster. */
    public static final String FIRING_PAUSED = "firing was paused by ";
    /** A fire time that was computed with other zone rules. */
    public static final String RULES_CHANGED = "the rules of its zone have changed: put off to the next fire time";

    /** An interceptor of the node skipped the slot. */
    public static final String INTERCEPTED = "skipped by ";

    /** A claimed slot whose java handler the master lacked. It runs under a master that has the handler. */
    public static final String LACKS_HANDLER = "waits for a master that has a java handler under the key ";

    /** A slot that had not started within the time that its task allows. */
    private static final Pattern EXPIRED =
            Pattern.compile("expired: not started within (P[0-9DTHMS.]+) of its fire time");

    private static final Pattern OVERDUE = Pattern.compile("misfire: overdue by more than (PT[0-9HMS.]+)");
    /**
     * A chained follower that was refused. Its fire time is the next free millisecond, which may be later than its
     * entry.
     */
    private static final Pattern REFUSED_FOLLOWER = Pattern.compile(
            "(then|thenOnFailure) of .+, (not run: (\\d+ runs have followed from|.+ has no) .+|but paused.*)",
            Pattern.DOTALL);

    private static final Pattern ATTEMPT = Pattern.compile("attempt (\\d{1,9})" + Pattern.quote(LEFT));

    private LedgerReasons() {}

    /** The misfire threshold that the reason of a misfire names. */
    public static Optional<Duration> threshold(String reason) {
        return duration(OVERDUE, reason);
    }

    /** How long after its fire time an expired slot could have started. */
    public static Optional<Duration> expireAfter(String reason) {
        return duration(EXPIRED, reason);
    }

    private static Optional<Duration> duration(Pattern pattern, String reason) {
        Matcher said = pattern.matcher(reason == null ? "" : reason);
        try {
            return said.find() ? Optional.of(Duration.parse(said.group(1))) : Optional.empty();
        } catch (DateTimeParseException e) {
            return Optional.empty();
        }
    }

    /** Whether the row stands for a refused chain follower and not for a planned slot. */
    public static boolean isRefusedFollower(String reason) {
        return reason != null && REFUSED_FOLLOWER.matcher(reason).matches();
    }

    /** Whether an attempt of the execution was orphaned. */
    public static boolean isLeft(LedgerRow row) {
        return row.reason() != null && row.reason().contains(LEFT);
    }

    /** Whether the latest attempt is a rerun of an orphan. */
    public static boolean isRerunOfLeft(LedgerRow row) {
        if (row.reason() == null || !row.reason().endsWith(RUN_AGAIN)) {
            return false;
        }
        Matcher left = ATTEMPT.matcher(row.reason());
        return left.find() && Integer.parseInt(left.group(1)) == row.claim().attempt() - 1;
    }

    /** Whether the code of an application decided to skip the slot. */
    public static boolean isIntercepted(LedgerRow row) {
        return row.reason() != null && row.reason().startsWith(INTERCEPTED);
    }

    public static boolean has(LedgerRow row, String text) {
        return row.reason() != null && row.reason().contains(text);
    }
}
