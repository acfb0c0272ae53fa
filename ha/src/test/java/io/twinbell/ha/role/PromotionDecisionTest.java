package io.twinbell.ha.role;

import static io.twinbell.ha.role.PromotionDecision.ASK;
import static io.twinbell.ha.role.PromotionDecision.ENTER;
import static io.twinbell.ha.role.PromotionDecision.LEAVE;
import static io.twinbell.ha.role.PromotionDecision.OPEN;
import static io.twinbell.ha.role.PromotionDecision.WAIT;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.twinbell.ha.latch.Election;
import io.twinbell.persistence.epoch.EpochRow;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The decision in every case: the candidate's place in the election, the owner, and what the candidate waited for. */
class PromotionDecisionTest {
    private static final UUID SELF = UUID.randomUUID();
    private static final UUID OTHER = UUID.randomUUID();
    private static final PromotionDecision.RecentOutage CALM = new PromotionDecision.RecentOutage(false, false);

    /** How this node stands in the election. */
    enum Place {
        CUT_OFF,
        OUTSIDE,
        OUTSIDE_WHILE_THE_OWNER_STANDS,
        SECOND,
        FIRST,
        FIRST_AND_ALONE
    }

    /** What the epoch row says. */
    enum Owner {
        UNKNOWN,
        NOBODY,
        SELF_ALIVE,
        OTHER_ALIVE,
        OTHER_RESIGNED,
        OTHER_SILENT
    }

    @ParameterizedTest(name = "{0}, owner {1}, waited for it {2}, asked it {3} → {4}")
    @CsvSource({
        "OUTSIDE, NOBODY, false, false, ENTER",
        "OUTSIDE, SELF_ALIVE, false, false, ENTER",
        "OUTSIDE, OTHER_RESIGNED, false, false, ENTER",
        "OUTSIDE, OTHER_SILENT, false, false, ENTER",
        "OUTSIDE, OTHER_ALIVE, false, false, WAIT",
        "OUTSIDE, OTHER_ALIVE, true, false, ENTER",
        "OUTSIDE_WHILE_THE_OWNER_STANDS, OTHER_ALIVE, false, false, ENTER",
        "SECOND, NOBODY, false, false, WAIT",
        "SECOND, SELF_ALIVE, false, false, WAIT",
        "SECOND, OTHER_ALIVE, false, false, WAIT",
        "SECOND, OTHER_ALIVE, true, true, WAIT",
        "SECOND, OTHER_RESIGNED, false, false, WAIT",
        "SECOND, OTHER_SILENT, false, false, WAIT",
        "FIRST, NOBODY, false, false, OPEN",
        "FIRST, SELF_ALIVE, false, false, OPEN",
        "FIRST, OTHER_RESIGNED, false, false, OPEN",
        "FIRST, OTHER_SILENT, false, false, OPEN",
        "FIRST, OTHER_ALIVE, false, false, ASK",
        "FIRST, OTHER_ALIVE, true, false, ASK",
        "FIRST, OTHER_ALIVE, false, true, OPEN"
    })
    void the_owner_and_the_place_decide(
            Place place, Owner owner, boolean waited, boolean asked, PromotionDecision expected) {
        PromotionDecision.Observation observation = new PromotionDecision.Observation(
                election(place), row(owner), SELF, false, CALM, false, waited, asked, true);
        assertEquals(expected, PromotionDecision.decide(observation));
    }

    @Test
    void without_zookeeper_no_node_acts() {
        for (PromotionDecision.Observation observation : everythingSeenFrom(Place.CUT_OFF)) {
            assertEquals(WAIT, PromotionDecision.decide(observation), observation.toString());
        }
    }

    @Test
    void no_node_opens_an_epoch_without_the_latch() {
        for (Place place : List.of(Place.CUT_OFF, Place.OUTSIDE, Place.OUTSIDE_WHILE_THE_OWNER_STANDS, Place.SECOND)) {
            for (PromotionDecision.Observation observation : everythingSeenFrom(place)) {
                PromotionDecision decided = PromotionDecision.decide(observation);
                assertEquals(
                        List.of(),
                        List.of(ASK, OPEN, LEAVE).stream()
                                .filter(decided::equals)
                                .toList());
            }
        }
    }

    @ParameterizedTest(name = "{0}, owner {1} → {2}")
    @CsvSource({
        "FIRST, NOBODY, HOLD",
        "FIRST, OTHER_RESIGNED, YIELD",
        "FIRST, OTHER_SILENT, YIELD",
        "FIRST, OTHER_ALIVE, YIELD",
        "FIRST_AND_ALONE, OTHER_RESIGNED, HOLD",
        "FIRST_AND_ALONE, OTHER_SILENT, HOLD",
        "FIRST_AND_ALONE, OTHER_ALIVE, HOLD",
        "SECOND, OTHER_SILENT, WAIT",
        "OUTSIDE, OTHER_SILENT, ENTER"
    })
    void a_node_that_must_not_promote_keeps_the_latch_until_the_owner_has_entered(
            Place place, Owner owner, PromotionDecision expected) {
        for (boolean isGone : new boolean[] {false, true}) {
            PromotionDecision.Observation observation = new PromotionDecision.Observation(
                    election(place), row(owner), SELF, false, CALM, isGone, false, true, false);
            assertEquals(expected, PromotionDecision.decide(observation));
        }
    }

    @Test
    void without_the_database_the_latch_is_left_only_to_a_node_that_reaches_it() {
        for (Place place : Place.values()) {
            assertEquals(WAIT, PromotionDecision.decide(withoutDatabase(place, false)));
            PromotionDecision left = place == Place.FIRST || place == Place.FIRST_AND_ALONE ? LEAVE : WAIT;
            assertEquals(left, PromotionDecision.decide(withoutDatabase(place, true)));
        }
    }

    @Test
    void a_place_outside_is_never_kept_for_an_owner_that_stands_already() {
        PromotionDecision.Observation observation = new PromotionDecision.Observation(
                election(Place.OUTSIDE_WHILE_THE_OWNER_STANDS),
                row(Owner.OTHER_ALIVE),
                SELF,
                false,
                CALM,
                false,
                false,
                false,
                true);
        assertEquals(ENTER, PromotionDecision.decide(observation));
    }

    @ParameterizedTest(name = "{0}, owner {1}, just back: database {2}, ZooKeeper {3} → {4}")
    @CsvSource({
        "OUTSIDE, OTHER_SILENT, true, false, WAIT",
        "OUTSIDE_WHILE_THE_OWNER_STANDS, OTHER_SILENT, true, false, ENTER",
        "OUTSIDE_WHILE_THE_OWNER_STANDS, OTHER_ALIVE, false, true, WAIT",
        "OUTSIDE_WHILE_THE_OWNER_STANDS, OTHER_SILENT, false, true, ENTER",
        "OUTSIDE, OTHER_RESIGNED, true, true, ENTER",
        "OUTSIDE, NOBODY, true, true, ENTER",
        "FIRST, OTHER_SILENT, true, false, ASK",
        "FIRST, OTHER_ALIVE, false, true, LEAVE",
        "FIRST, OTHER_SILENT, true, true, LEAVE",
        "FIRST, OTHER_SILENT, false, true, OPEN",
        "FIRST, OTHER_RESIGNED, true, true, OPEN",
        "FIRST, SELF_ALIVE, true, true, OPEN"
    })
    void after_an_outage_for_all_an_owner_that_could_not_show_itself_goes_first(
            Place place, Owner owner, boolean database, boolean zooKeeper, PromotionDecision expected) {
        PromotionDecision.RecentOutage back = new PromotionDecision.RecentOutage(database, zooKeeper);
        PromotionDecision.Observation observation = new PromotionDecision.Observation(
                election(place), row(owner), SELF, false, back, false, false, false, true);
        assertEquals(expected, PromotionDecision.decide(observation));
    }

    @ParameterizedTest(name = "{0}, owner {1}, found gone → {2}")
    @CsvSource({
        "FIRST, OTHER_ALIVE, OPEN",
        "FIRST, OTHER_SILENT, OPEN",
        "OUTSIDE, OTHER_ALIVE, ENTER",
        "SECOND, OTHER_ALIVE, WAIT"
    })
    void an_owner_that_is_gone_is_neither_asked_nor_waited_for_but_the_latch_is(
            Place place, Owner owner, PromotionDecision expected) {
        PromotionDecision.RecentOutage back = new PromotionDecision.RecentOutage(true, false);
        PromotionDecision.Observation observation = new PromotionDecision.Observation(
                election(place), row(owner), SELF, false, back, true, false, false, true);
        assertEquals(expected, PromotionDecision.decide(observation));
    }

    private static PromotionDecision.Observation withoutDatabase(Place place, boolean peerReaches) {
        return new PromotionDecision.Observation(
                election(place), null, SELF, peerReaches, CALM, false, true, true, true);
    }

    private static List<PromotionDecision.Observation> everythingSeenFrom(Place place) {
        List<PromotionDecision.Observation> all = new ArrayList<>();
        for (Owner owner : Owner.values()) {
            for (int flags = 0; flags < 32; flags++) {
                all.add(new PromotionDecision.Observation(
                        election(place),
                        row(owner),
                        SELF,
                        (flags & 1) > 0,
                        CALM,
                        (flags & 8) > 0,
                        (flags & 2) > 0,
                        (flags & 4) > 0,
                        (flags & 16) > 0));
            }
        }
        return all;
    }

    private static Election election(Place place) {
        return switch (place) {
            case CUT_OFF -> Election.UNREACHABLE;
            case OUTSIDE -> new Election(true, false, false, 1, 0, List.of());
            case OUTSIDE_WHILE_THE_OWNER_STANDS -> new Election(true, false, false, 1, 0, List.of("other"));
            case SECOND -> new Election(true, true, false, 1, 7, List.of("other", "self"));
            case FIRST_AND_ALONE -> new Election(true, true, true, 1, 7, List.of("self"));
            case FIRST -> new Election(true, true, true, 1, 7, List.of("self", "other"));
        };
    }

    private static EpochRow row(Owner owner) {
        return switch (owner) {
            case UNKNOWN -> null;
            case NOBODY -> new EpochRow(0, null, null, false, Long.MAX_VALUE, 0, 0);
            case SELF_ALIVE -> new EpochRow(5, "self", SELF, false, 100, 0, 0);
            case OTHER_ALIVE -> new EpochRow(5, "other", OTHER, false, 3999, 0, 0);
            case OTHER_RESIGNED -> new EpochRow(5, "other", OTHER, true, 100, 0, 0);
            case OTHER_SILENT -> new EpochRow(5, "other", OTHER, false, 4000, 0, 0);
        };
    }
}
