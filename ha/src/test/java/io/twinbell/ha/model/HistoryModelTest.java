package io.twinbell.ha.model;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * TLC checks the model {@code ha/model/History.tla}: what a pair believes of a database that may lose commits, and of
 * two primaries.
 */
@Tag("thorough")
class HistoryModelTest {
    private static final String CONFIGURATION = "History.cfg";
    private static final ModelChecker HISTORY = new ModelChecker("History.tla");
    private static final String SYNCHRONOUS = "Synchronous = TRUE";
    private static final String ASYNCHRONOUS = "Synchronous = FALSE";

    @Test
    void nothing_starts_twice_when_a_synchronous_replica_is_promoted() throws Exception {
        HISTORY.check("synchronous", CONFIGURATION).isSound();
    }

    @Test
    void nothing_but_what_is_named_starts_twice_when_an_asynchronous_replica_is_promoted() throws Exception {
        HISTORY.check("asynchronous", CONFIGURATION, SYNCHRONOUS, ASYNCHRONOUS).isSound();
    }

    @ParameterizedTest
    @CsvSource({
        "TRUE,  ignore the mark,            NoStartThroughAServerKnownToBeFormer",
        "TRUE,  trust an unanswered commit, NoSecondStart",
        "TRUE,  settle at once,             NoStartAfterTheSettlement",
        "FALSE, start without looking again,NoStartWithoutARow",
        "FALSE, enter nothing again,        NoSecondStart",
        "FALSE, enter again later,          NoSecondStart",
        "FALSE, doubt nothing,              NoSecondStart"
    })
    void a_rule_that_is_broken_is_missed(String synchronous, String mutation, String claim) throws Exception {
        HISTORY.check(
                        mutation,
                        CONFIGURATION,
                        SYNCHRONOUS,
                        "Synchronous = " + synchronous,
                        "\"none\"",
                        "\"" + mutation + "\"")
                .violates(claim);
    }

    @Test
    void a_lost_promotion_of_a_node_is_the_one_thing_that_a_former_master_cannot_know() throws Exception {
        HISTORY.check(
                        "lost epoch",
                        CONFIGURATION,
                        SYNCHRONOUS,
                        ASYNCHRONOUS,
                        "LosesEpochs = FALSE",
                        "LosesEpochs = TRUE")
                .violates("NoSecondStart");
    }
}
