package io.twinbell.node.upkeep;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.twinbell.node.loop.Loops;
import io.twinbell.node.upkeep.store.SnapshotSurvey.Holder;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class SnapshotWatchTest {
    private static final Holder REPORT = new Holder(1800, "session 7 of role report", "select pg_terminate_backend(7)");

    @Test
    void the_oldest_snapshot_is_known_until_it_is_given_up() {
        AtomicLong now = new AtomicLong();
        AtomicInteger asked = new AtomicInteger();
        AtomicReference<List<Holder>> held = new AtomicReference<>(List.of());
        SnapshotWatch watch = new SnapshotWatch(
                () -> {
                    asked.incrementAndGet();
                    return held.get();
                },
                now::get,
                new Loops(now::get, loop -> {}).loop("snapshots"));
        watch.step();
        assertEquals(0, watch.seconds());

        held.set(List.of(REPORT, new Holder(0, "replication slot s, by 200000 transactions", "drop it")));
        now.addAndGet(TimeUnit.SECONDS.toNanos(1));
        watch.step();
        assertEquals(1, asked.get(), "it is not asked without end");
        now.addAndGet(TimeUnit.SECONDS.toNanos(15));
        watch.step();
        assertEquals(1800, watch.seconds());

        held.set(List.of());
        now.addAndGet(TimeUnit.SECONDS.toNanos(15));
        watch.step();
        assertEquals(0, watch.seconds());
    }
}
