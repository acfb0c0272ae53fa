package io.twinbell.tools.check;

/** The rules that every history must satisfy; each constant names the violation of one. */
public enum Rule {
    LOST("an owed slot is not in the ledger"),
    COVERED_TWICE("two ledger rows cover one slot"),
    UNPLANNED("a ledger row covers a slot that the schedule does not have"),
    MISCOUNTED("a ledger row that covers many slots counts them wrongly"),
    UNFINISHED("a ledger row has no outcome"),
    NOT_CAUGHT_UP("a task was far behind its schedule, and no fault explains it"),
    EXPIRED_START("a slot started after it had expired"),
    EARLY("a handler started before its fire time"),
    CHAIN_BROKEN("a fixed delay did not count from the end of the previous run"),
    CALLED_UNCLAIMED("a handler started before its slot was claimed"),
    CALLED_LATE("a handler started for an attempt that was already settled"),
    CALLED_TWICE("one attempt of one slot was called more than once"),
    ATTEMPT_UNEXPLAINED("a further attempt ran that no policy allows"),
    DROPPED_UNEXPLAINED("an execution was dropped, although its policy or a living master had to run it"),
    MISSED_UNEXPLAINED("a slot was recorded as MISSED, although it was not late enough"),
    SKIPPED_UNEXPLAINED("a slot was skipped without a cause"),
    SUCCESS_WITHOUT_CALL("the ledger says SUCCEEDED, but the receiver was not called"),
    CALL_WITHOUT_ROW("the receiver was called for a slot or attempt that is not in the ledger"),
    DOUBT_UNEXPLAINED("a slot was recorded as in doubt, although no lost master can have run it"),
    CALL_OF_UNRUN("the receiver was called for an attempt that never started, according to the ledger"),
    RAN_BESIDE("a run began while another run of its task was under way, which the overlap policy forbids"),
    EPOCH_BACKWARDS("an older epoch acted after a newer one"),
    EPOCH_SHARED("an epoch was opened twice"),
    EPOCH_UNKNOWN("a claim or a call names an epoch that was not open at that time"),
    STRAY("ledger rows belong to a task that never existed"),
    SILENT("a ledger row gives no reason why its slot did not run to completion"),
    CONTRADICTION("a ledger row contradicts itself"),
    MASTER_CHANGED("the master changed, although no fault affected it"),
    NOT_ONE_SUCCESSOR("not exactly one epoch was opened for a successor"),
    PROMISE_BROKEN("the pair did not meet an expectation of the drill");

    private final String meaning;

    Rule(String meaning) {
        this.meaning = meaning;
    }

    public String meaning() {
        return meaning;
    }
}
