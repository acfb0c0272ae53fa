package io.twinbell.tools.check;

/** The rules that every history must satisfy; each constant names the violation of one. */
public enum Rule {
    LOST("a slot that is owed is not in the ledger"),
    COVERED_TWICE("two rows of the ledger stand for one slot"),
    UNPLANNED("a row of the ledger stands for a slot that the schedule does not have"),
    MISCOUNTED("a row that stands for many slots counts them wrongly"),
    UNFINISHED("a row of the ledger has no outcome"),
    NOT_CAUGHT_UP("a task was far behind its schedule, though nothing hindered it any more"),
    EARLY("a handler started before its fire time"),
    CHAIN_BROKEN("a fixed delay did not count from the end of the run before"),
    CALLED_UNCLAIMED("a handler was started before its slot was claimed"),
    CALLED_LATE("a handler was started for an attempt that had been settled already"),
    CALLED_TWICE("one attempt of one slot was called more than once"),
    ATTEMPT_UNEXPLAINED("there was a further attempt that no policy asks for"),
    DROPPED_UNEXPLAINED("an execution was dropped that the policy or a living master had to run"),
    MISSED_UNEXPLAINED("a slot was recorded as missed that was not late enough for that"),
    SKIPPED_UNEXPLAINED("a slot was skipped, and nothing stood in its way"),
    SUCCESS_WITHOUT_CALL("the ledger says SUCCEEDED, and the receiver was not called"),
    CALL_WITHOUT_ROW("the receiver was called for a slot, or in an attempt, that is not in the ledger"),
    DOUBT_UNEXPLAINED("a slot was named in doubt that no lost master can have run"),
    CALL_OF_UNRUN("the receiver was called for an attempt of which the ledger says that it was not begun"),
    RAN_BESIDE("a run began while another of the same task was under way, which its policy forbids"),
    EPOCH_BACKWARDS("an older epoch acted after a newer one"),
    EPOCH_SHARED("an epoch was opened twice"),
    EPOCH_UNKNOWN("a claim or a call names an epoch that was not open then"),
    STRAY("rows of the ledger belong to a task that there never was"),
    SILENT("a row of the ledger does not say why its slot did not run to its end"),
    CONTRADICTION("a row of the ledger contradicts itself"),
    MASTER_CHANGED("the master changed, though nothing had happened to it"),
    NOT_ONE_SUCCESSOR("not exactly one epoch was opened for a successor"),
    PROMISE_BROKEN("the pair did not do what it promises besides");

    private final String meaning;

    Rule(String meaning) {
        this.meaning = meaning;
    }

    public String meaning() {
        return meaning;
    }
}
