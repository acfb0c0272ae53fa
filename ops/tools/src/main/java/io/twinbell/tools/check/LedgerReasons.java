package io.twinbell.tools.check;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the ledger gives as reasons, as far as a judgement hangs on it. Whoever writes them is held to these by a test. */
public final class LedgerReasons {
    /** What nobody can run any more is dropped, whatever its task said. */
    public static final String TASK_GONE = "its task is gone";
    /** Somebody wanted the execution let go of. */
    public static final String RELEASED = "released by hand";
    /** An attempt whose process had no outcome for it. */
    public static final String LEFT = " was left without an outcome by ";
    /** It runs again for that. */
    public static final String RUN_AGAIN = "; run again";
    /** Of a slot that was passed over because its row would soon be dropped. */
    public static final String TOO_OLD = "older than the ledger's retention";
    /** Of a slot whose master and primary were lost together. */
    public static final String IN_DOUBT =
            "IN_DOUBT: it may have run on a primary that was lost together with its master";
    /** Of a slot that somebody does not want to run again after a restore, however short ago it was due. */
    public static final String RESTORED = "may have run before the database was restored";
    /** Of a slot that found no room in its task's queue. */
    public static final String QUEUE_FULL = " waited already";
    /** Of slots that nobody claimed while firing was held for the whole cluster. */
    public static final String FIRING_PAUSED = "firing was paused by ";
    /** Of a fire time that another zone database had reckoned. */
    public static final String RULES_CHANGED = "the rules of its zone have changed: put off to the next fire time";

    private static final Pattern OVERDUE = Pattern.compile("misfire: overdue by more than (PT[0-9HMS.]+)");
    /** Of a follower that was not run; its fire time is the next free millisecond, which may be later than its entry. */
    private static final Pattern REFUSED_FOLLOWER = Pattern.compile(
            "(then|thenOnFailure) of .+, (not run: \\d+ runs have followed from .+|but paused.*)", Pattern.DOTALL);

    private static final Pattern ATTEMPT = Pattern.compile("attempt (\\d{1,9})" + Pattern.quote(LEFT));

    private LedgerReasons() {}

    /** The threshold that a misfire says it has passed. */
    public static Optional<Duration> threshold(String reason) {
        Matcher said = OVERDUE.matcher(reason == null ? "" : reason);
        try {
            return said.find() ? Optional.of(Duration.parse(said.group(1))) : Optional.empty();
        } catch (DateTimeParseException e) {
            return Optional.empty();
        }
    }

    /** Whether the row stands for no planned slot but for a chain's follower that was refused. */
    public static boolean isRefusedFollower(String reason) {
        return reason != null && REFUSED_FOLLOWER.matcher(reason).matches();
    }

    /** Whether a process left an attempt of the execution behind. */
    static boolean isLeft(LedgerRow row) {
        return row.reason() != null && row.reason().contains(LEFT);
    }

    /** Whether the latest attempt is there because the one before was left behind. */
    static boolean isRerunOfLeft(LedgerRow row) {
        if (row.reason() == null || !row.reason().endsWith(RUN_AGAIN)) {
            return false;
        }
        Matcher left = ATTEMPT.matcher(row.reason());
        return left.find() && Integer.parseInt(left.group(1)) == row.claim().attempt() - 1;
    }

    static boolean has(LedgerRow row, String text) {
        return row.reason() != null && row.reason().contains(text);
    }
}
