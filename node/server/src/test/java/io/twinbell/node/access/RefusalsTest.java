package io.twinbell.node.access;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.twinbell.node.audit.store.AuditRefusals.RefusedAttempt;
import io.twinbell.node.audit.store.AuditRefusals.RefusedAttempt.Counted;
import io.twinbell.node.loop.Loop;
import io.twinbell.persistence.actor.Actor;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.testing.HandTicker;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RefusalsTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final HandTicker ticker = new HandTicker();
    private final Loop loop = new Loop("refusals", ticker);
    private final List<Counted> written = new ArrayList<>();
    private boolean isDatabaseAway;
    private final Refusals refusals = new Refusals(this::write, ticker);

    private void write(List<Counted> attempts) {
        if (isDatabaseAway) {
            throw new DatabaseUnavailableException("enter refused attempts", new SQLException("away", "08006"));
        }
        written.addAll(attempts);
    }

    private void refuse(String name, String address) {
        refusals.add(attempt(name, address, "GET /x"));
    }

    private static RefusedAttempt attempt(String name, String address, String request) {
        return new RefusedAttempt(
                new Actor(name, Actor.Channel.HTTP, address, request), RefusedAttempt.SIGN_IN, "no token");
    }

    private List<String> stepped() {
        written.clear();
        refusals.step(loop);
        return written.stream()
                .map(each -> each.first().client().name() + " "
                        + each.first().client().address() + " " + each.items())
                .toList();
    }

    private static long items(List<Counted> attempts) {
        return attempts.stream().mapToLong(Counted::items).sum();
    }

    @Test
    void the_first_attempt_is_written_at_once_and_the_next_after_a_minute() {
        refuse("ann", "192.0.2.1");
        assertEquals(List.of("ann 192.0.2.1 1"), stepped());
        refuse("ann", "192.0.2.1");
        refuse("ann", "192.0.2.1");
        refuse("bob", "192.0.2.1");
        assertEquals(List.of("bob 192.0.2.1 1"), stepped());
        ticker.pass(MINUTE);
        assertEquals(List.of("ann 192.0.2.1 2"), stepped());
        assertEquals(4, refusals.total());
    }

    @Test
    void a_flood_from_many_addresses_writes_a_bounded_number_of_rows() {
        int attempts = 0;
        List<Counted> all = new ArrayList<>();
        for (int second = 0; second < 60; second++) {
            for (int i = 0; i < 100; i++) {
                refuse("unknown", "2001:db8::" + attempts++);
            }
            stepped();
            all.addAll(written);
            ticker.pass(Duration.ofMillis(999));
        }
        assertEquals(Refusals.MOST_ROWS - 1, all.size());
        for (int minute = 0; minute < 2; minute++) {
            ticker.pass(MINUTE);
            stepped();
            all.addAll(written);
        }
        assertEquals(attempts, items(all));
        assertEquals(
                1,
                all.stream()
                        .filter(each -> each.first().client().address() == null)
                        .count());
    }

    @Test
    void a_client_with_many_names_leaves_rows_for_others() {
        List<Counted> all = new ArrayList<>();
        for (int second = 0; second < 50; second++) {
            for (int i = 0; i < 100; i++) {
                refuse("user " + second + " " + i, "192.0.2.1");
            }
            stepped();
            all.addAll(written);
            ticker.pass(Duration.ofSeconds(1));
        }
        assertEquals(11, all.size());
        refuse("ann", "192.0.2.2");
        assertEquals(List.of("ann 192.0.2.2 1"), stepped());
        ticker.pass(MINUTE);
        stepped();
        assertEquals(5000, items(all) + items(written));
    }

    @Test
    void attempts_wait_in_memory_while_the_database_is_away() {
        isDatabaseAway = true;
        refuse("ann", "192.0.2.1");
        assertEquals(Duration.ofSeconds(10).toNanos(), refusals.step(loop));
        for (int i = 0; i < 1000; i++) {
            refuse("ann", "192.0.2.1");
            refuse("unknown", "2001:db8::" + i);
        }
        isDatabaseAway = false;
        assertEquals("ann 192.0.2.1 1001", stepped().get(0));
        long before = items(written);
        ticker.pass(MINUTE);
        stepped();
        assertEquals(2001, before + items(written));
    }

    @Test
    void what_a_client_chooses_is_cut_and_has_no_control_characters() {
        refusals.add(attempt("a\u0000b\ud800", "192.0.2.1", "GET /" + "x".repeat(10_000)));
        stepped();
        Actor client = written.get(0).first().client();
        assertEquals("a b?", client.name());
        assertEquals(301, client.request().length());
    }
}
