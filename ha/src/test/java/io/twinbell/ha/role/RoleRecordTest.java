package io.twinbell.ha.role;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.epoch.JdbcRoleHistory;
import io.twinbell.persistence.epoch.RoleChange;
import io.twinbell.persistence.epoch.RoleHistory;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class RoleRecordTest {
    private static final Map<Role, Set<Role>> LIFE = new EnumMap<>(Map.of(
            Role.STOPPED, EnumSet.of(Role.STANDBY),
            Role.STANDBY, EnumSet.of(Role.PROMOTING, Role.STOPPED),
            Role.PROMOTING, EnumSet.of(Role.MASTER, Role.STANDBY, Role.DEMOTING, Role.STOPPED),
            Role.MASTER, EnumSet.of(Role.DEMOTING),
            Role.DEMOTING, EnumSet.of(Role.STANDBY, Role.PROMOTING, Role.STOPPED)));

    private final List<String> told = new ArrayList<>();
    private final Saved history = new Saved();
    private long now = 1000;

    @Test
    void every_pair_of_roles_is_either_a_way_or_refused() {
        for (Role from : Role.values()) {
            for (Role to : Role.values()) {
                RoleRecord record = recordIn(from);
                if (LIFE.get(from).contains(to)) {
                    record.change(to, "why", 1, 0, "[]");
                    assertEquals(to, record.role());
                } else {
                    assertThrows(IllegalStateException.class, () -> record.change(to, "why", 1, 0, "[]"));
                    assertEquals(from, record.role(), "a refused change changes nothing");
                }
            }
        }
    }

    @Test
    void a_change_tells_when_why_and_how_long_it_took() {
        RoleRecord record = record();
        now = 4711;
        record.change(Role.STANDBY, "started", 0, 12, "[]");
        assertEquals(new RoleRecord.Transition(4711, "started", 12, 1), record.last());
        assertEquals(List.of("STOPPED STANDBY started 0"), told);
    }

    @Test
    void changes_are_saved_in_order_once_the_database_is_back() {
        RoleRecord record = record();
        record.change(Role.STANDBY, "one", 0, 0, "[]");
        history.away = true;
        record.save();
        record.change(Role.PROMOTING, "two", 3, 0, "[]");
        history.away = false;
        record.save();
        record.save();
        assertEquals(List.of("one", "two"), history.reasons);
    }

    @Test
    void the_first_fire_is_saved_once_and_behind_the_promotion_that_it_belongs_to() {
        RoleRecord record = recordIn(Role.PROMOTING);
        record.save();
        history.reasons.clear();
        record.change(Role.MASTER, "a is dead", 3, 0, "[]");
        record.firstFired(3, 1200);
        history.away = true;
        record.save();
        history.away = false;
        record.save();
        record.save();
        assertEquals(List.of("a is dead", "first fire of epoch 3 by a after 1200"), history.reasons);
    }

    @Test
    void only_the_latest_hundred_changes_wait_for_the_database() {
        RoleRecord record = recordIn(Role.STANDBY);
        for (int i = 0; i < 100; i++) {
            record.change(i % 2 == 0 ? Role.PROMOTING : Role.STANDBY, "change " + i, 0, 0, "[]");
        }
        record.change(Role.PROMOTING, "the last", 0, 0, "[]");
        record.save();
        assertEquals(100, history.reasons.size());
        assertEquals("change 1", history.reasons.get(0));
        assertEquals("the last", history.reasons.get(99));
    }

    private RoleRecord record() {
        return new RoleRecord(
                "a",
                UUID.randomUUID(),
                history,
                () -> now,
                (from, to, reason, epoch) -> told.add(from + " " + to + " " + reason + " " + epoch));
    }

    /** A record that reached the role by allowed transitions. */
    private RoleRecord recordIn(Role role) {
        RoleRecord record = record();
        for (Role next : List.of(Role.STANDBY, Role.PROMOTING, Role.MASTER, Role.DEMOTING)) {
            if (record.role() != role) {
                record.change(next, "on the way", 0, 0, "[]");
            }
        }
        assertEquals(role, record.role());
        return record;
    }

    /** A history that can be away: the real one on a port where nothing listens throws what an outage throws. */
    private static final class Saved implements RoleHistory {
        private final List<String> reasons = new ArrayList<>();
        private final DedicatedConnection nowhere = NoPeers.connection();
        private boolean away;

        @Override
        public void record(RoleChange change) throws DatabaseUnavailableException {
            if (away) {
                new JdbcRoleHistory(nowhere).record(change);
            }
            reasons.add(change.reason());
        }

        @Override
        public void addStep(String node, long epoch, String step, long micros) {
            if (away) {
                new JdbcRoleHistory(nowhere).addStep(node, epoch, step, micros);
            }
            reasons.add(step + " of epoch " + epoch + " by " + node + " after " + micros);
        }

        @Override
        public List<RoleChange> latest(int limit) {
            return List.of();
        }

        @Override
        public List<RoleChange> promotions(int limit) {
            return List.of();
        }
    }
}
