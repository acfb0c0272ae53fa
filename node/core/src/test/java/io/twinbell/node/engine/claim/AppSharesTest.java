package io.twinbell.node.engine.claim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.engine.run.AppHash;
import io.twinbell.node.engine.run.AppLoads;
import io.twinbell.node.engine.run.ClaimRoom;
import io.twinbell.persistence.ledger.Attempt;
import io.twinbell.persistence.ledger.Slot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class AppSharesTest {
    private static final int MANY = 10_000;
    private static final long NOW = 1_000_000;

    private final AppLoads loads = new AppLoads();
    private final AppShares turns = new AppShares();

    @BeforeEach
    void begin() {
        turns.begin();
        turns.recordRead(List.of("flood", "other", "third"), NOW, Duration.ZERO);
    }

    private void hold(String app, int runs) {
        for (int i = 0; i < runs; i++) {
            loads.add(AppHash.of(app));
        }
    }

    private Map<String, Integer> shares(ClaimRoom room) {
        return turns.shares(room, loads);
    }

    private static List<Attempt> attempts(String app, int count) {
        List<Attempt> attempts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            attempts.add(new Attempt(new Slot(1, i), app, "t", 1, 1, "a", "{}", false, List.of()));
        }
        return attempts;
    }

    private static List<String> names(int count) {
        return IntStream.range(0, count).mapToObj(i -> "app" + i).toList();
    }

    @Test
    void every_app_gets_an_equal_share() {
        assertEquals(Map.of("flood", 30, "other", 30, "third", 30), shares(new ClaimRoom(90, MANY, MANY, 4)));
    }

    @Test
    void an_indivisible_rest_goes_to_the_next_apps_in_turn() {
        ClaimRoom two = new ClaimRoom(2, MANY, MANY, 0);
        assertEquals(Map.of("flood", 1, "other", 1), shares(two));
        assertEquals(Map.of("third", 1, "flood", 1), shares(two));
        assertEquals(Map.of("other", 1, "third", 1), shares(two));
    }

    @Test
    void an_app_that_holds_its_most_gets_nothing() {
        hold("flood", 100);
        assertEquals(Map.of("other", 45, "third", 45), shares(new ClaimRoom(90, MANY, 100, 4)));
    }

    @Test
    void each_app_has_a_few_runs_ready_when_no_more_could_start_soon() {
        hold("flood", 100);
        hold("third", 3);
        assertEquals(Map.of("other", 4, "third", 1), shares(new ClaimRoom(0, MANY, MANY, 4)));
    }

    @Test
    void shares_never_exceed_what_the_process_can_hold() {
        assertEquals(Map.of("flood", 2), shares(new ClaimRoom(0, 2, MANY, 4)));
        assertEquals(
                2,
                shares(new ClaimRoom(90, 2, MANY, 4)).values().stream()
                        .mapToInt(n -> n)
                        .sum());
        assertEquals(Map.of(), shares(new ClaimRoom(90, 0, MANY, 4)));
    }

    @Test
    void an_app_with_less_than_its_share_leaves_the_turns_until_the_next_look() {
        ClaimRoom room = new ClaimRoom(90, MANY, MANY, 4);
        Map<String, Integer> shares = shares(room);
        List<Attempt> claimed = attempts("flood", 30);
        claimed.addAll(attempts("other", 1));
        assertTrue(turns.claimed(shares, claimed));
        assertEquals(Map.of("flood", 90), shares(room));
        assertFalse(turns.isLookDue(NOW + AppShares.LOOK.toMillis() - 1));
        assertTrue(turns.isLookDue(NOW + AppShares.LOOK.toMillis()));
    }

    @Test
    void slow_looks_are_rare() {
        turns.recordRead(List.of("flood"), NOW, Duration.ofMillis(30));
        assertFalse(turns.isLookDue(NOW + 299));
        assertTrue(turns.isLookDue(NOW + 300));
    }

    @Test
    void turns_end_when_every_app_has_less_than_its_share() {
        Map<String, Integer> shares = shares(new ClaimRoom(90, MANY, MANY, 4));
        assertTrue(turns.isScarce());
        assertFalse(turns.claimed(shares, attempts("flood", 29)));
        assertFalse(turns.isScarce());
        assertEquals(Map.of(), shares(new ClaimRoom(90, MANY, MANY, 4)));
    }

    @Test
    void turns_end_when_a_look_finds_nobody_waiting() {
        turns.recordRead(List.of(), NOW, Duration.ZERO);
        assertFalse(turns.isScarce());
    }

    @Test
    void the_next_hundred_of_many_apps_follow_at_once() {
        List<String> page = names(AppShares.MOST_APPS);
        turns.recordRead(page, NOW, Duration.ZERO);
        assertEquals(page.get(page.size() - 1), turns.after());
        assertFalse(turns.isLookDue(NOW));
        Map<String, Integer> shares = shares(new ClaimRoom(2 * page.size(), MANY, MANY, 0));
        assertFalse(turns.claimed(shares, List.of()));
        assertTrue(turns.isScarce());
        assertTrue(turns.isLookDue(NOW));
        turns.recordRead(List.of("last"), NOW, Duration.ZERO);
        assertEquals("", turns.after());
        assertEquals(Map.of("last", 2), shares(new ClaimRoom(2, MANY, MANY, 0)));
    }
}
