package io.twinbell.node.engine.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.persistence.testing.RandomCases;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FireQuotaTest {
    private static final long START = 1_000_000_500L;
    private static final long MINUTE = 60_000;

    private final FireQuota quota = new FireQuota(3);

    private void start(String app, int times, long atMillis) {
        for (int i = 0; i < times; i++) {
            quota.add(app, atMillis);
        }
    }

    @Test
    void an_app_starts_its_quota_at_once_and_the_rest_when_a_minute_has_passed() {
        assertEquals(3, quota.room("shop", START));
        start("shop", 3, START);
        assertEquals(0, quota.room("shop", START));
        assertEquals(0, quota.room("shop", START + MINUTE));
        long next = quota.nextMillis("shop", START);
        assertTrue(next >= START + MINUTE && next <= START + MINUTE + 1000, "at " + next);
        assertEquals(0, quota.room("shop", next - 1));
        assertEquals(3, quota.room("shop", next));
        assertEquals(Long.MIN_VALUE, quota.nextMillis("shop", next));
    }

    @Test
    void one_app_takes_nothing_from_another() {
        start("shop", 3, START);
        assertEquals(3, quota.room("bank", START));
        assertEquals(1, quota.full(START));
        assertEquals(0, quota.full(START + 2 * MINUTE));
    }

    @Test
    void a_start_that_does_not_happen_is_given_back_as_long_as_it_counts() {
        FireQuota.Start taken = quota.add("shop", START);
        FireQuota.Start late = quota.add("shop", START);
        taken.takeBack();
        assertEquals(2, quota.room("shop", START));
        start("shop", 2, START + 2 * MINUTE);
        late.takeBack();
        assertEquals(1, quota.room("shop", START + 2 * MINUTE));
    }

    @Test
    void starts_before_an_epoch_neither_count_nor_give_anything_back() {
        FireQuota.Start before = quota.add("shop", START);
        quota.clear();
        start("shop", 3, START);
        before.takeBack();
        assertEquals(0, quota.room("shop", START));
    }

    @Test
    void without_a_quota_there_is_always_room() {
        FireQuota none = new FireQuota(0);
        assertEquals(Integer.MAX_VALUE, none.room("shop", START));
        assertEquals(Long.MIN_VALUE, none.nextMillis("shop", START));
        assertEquals(0, none.full(START));
    }

    @Test
    void no_minute_of_a_random_run_has_more_starts_than_the_quota_and_none_waits_much_longer() {
        long seed = RandomCases.seed(FireQuotaTest.class);
        Random random = new Random(seed);
        Deque<Long> starts = new ArrayDeque<>();
        long now = START;
        for (int i = 0; i < RandomCases.count(20_000, 400_000); i++) {
            now += random.nextInt(random.nextInt(20) == 0 ? 90_000 : 3000);
            while (!starts.isEmpty() && starts.peek() <= now - MINUTE - 1000) {
                starts.remove();
            }
            if (quota.room("shop", now) > 0) {
                quota.add("shop", now);
                starts.add(now);
            } else {
                assertTrue(starts.size() >= 3, "refused without need; seed " + seed);
                assertTrue(quota.nextMillis("shop", now) > now, "seed " + seed);
            }
            long at = now;
            assertTrue(starts.stream().filter(each -> each > at - MINUTE).count() <= 3, "seed " + seed);
        }
    }
}
