package io.twinbell.node.upkeep;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.twinbell.node.audit.store.AuditReader;
import io.twinbell.node.audit.store.AuditSeals;
import io.twinbell.node.loop.Loops;
import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.epoch.Claimant;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.JdbcEpochRegister;
import io.twinbell.persistence.testing.HandTicker;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestSettings;
import io.twinbell.persistence.testing.TestTasks;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;
import org.slf4j.LoggerFactory;

/** What the master seals, logs and drops of the audit. */
class AuditUpkeepTest {
    private final PGSimpleDataSource database = TestPostgres.freshDatabase();
    private final TestTasks tasks = new TestTasks(database);
    private final DatabaseSettings settings = TestSettings.of(database, "a");

    @AutoClose
    private final DedicatedConnection connection = new DedicatedConnection(settings, "test", 5);

    private final Logger logger = (Logger) LoggerFactory.getLogger(AuditUpkeep.class);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private Epoch epoch = TestSettings.openEpoch(new JdbcEpochRegister(settings, connection), settings, 0);
    private final AuditUpkeep upkeep = upkeep(true);

    private AuditUpkeep upkeep(boolean isLogged) {
        return new AuditUpkeep(
                new AuditSeals(connection),
                30,
                isLogged,
                System::currentTimeMillis,
                new HandTicker(),
                () -> epoch,
                new Loops(new HandTicker(), loop -> {}));
    }

    @BeforeEach
    void listen() {
        settle();
        lines.start();
        logger.addAppender(lines);
    }

    @AfterEach
    void close() {
        logger.detachAppender(lines);
    }

    /** Partitions, old days, and the entries about the beginning. */
    private void settle() {
        for (int i = 0; i < 4; i++) {
            upkeep.step();
        }
    }

    private List<String> logged() {
        return lines.list.stream()
                .map(ILoggingEvent::getFormattedMessage)
                .filter(line -> !line.startsWith("audit seal "))
                .toList();
    }

    private void add(int count, String schedule) {
        tasks.query("select twinbell.add_task('shop', 't' || i, '" + schedule
                + "', '{\"type\":\"log\",\"message\":\"x\"}')" + " from generate_series(1, " + count + ") i");
    }

    @Test
    void every_change_is_sealed_and_logged_with_the_marker() {
        tasks.execute("insert into twinbell.run_limit (key, max_running) values ('app:shop', 1)");
        upkeep.step();
        assertEquals(0, new AuditReader(database).end().unsealed());
        assertEquals(1, logged().size());
        assertTrue(logged().get(0).contains(" CREATE LIMIT app:shop x1 DONE"), logged().toString());
        lines.list.forEach(line -> assertEquals(List.of(AuditUpkeep.AUDIT), line.getMarkerList()));
    }

    @Test
    void a_log_without_the_audit_has_no_line_of_it_and_entries_are_sealed_all_the_same() {
        AuditUpkeep quiet = upkeep(false);
        tasks.execute("insert into twinbell.run_limit (key, max_running) values ('app:shop', 1)");
        for (int i = 0; i < 4; i++) {
            quiet.step();
        }
        assertEquals(0, new AuditReader(database).end().unsealed());
        assertEquals(List.of(), lines.list);
    }

    @Test
    void a_flood_of_new_one_shots_is_one_line() {
        add(120, "{\"in\":\"PT9H\"}");
        upkeep.step();
        assertEquals(List.of("audit: 120 more entries of this seal are in the table only"), logged());
        assertEquals(0, new AuditReader(database).end().unsealed());
    }

    @Test
    void of_a_seal_with_many_changes_only_the_first_are_logged() {
        add(AuditUpkeep.MOST_LOGGED + 7, "{\"every\":\"PT9H\"}");
        upkeep.step();
        assertEquals(AuditUpkeep.MOST_LOGGED + 1, logged().size());
        assertEquals("audit: 7 more entries of this seal are in the table only", logged().get(AuditUpkeep.MOST_LOGGED));
    }

    @Test
    void a_standby_seals_and_logs_nothing() {
        epoch = null;
        tasks.execute("insert into twinbell.run_limit (key, max_running) values ('app:shop', 1)");
        upkeep.step();
        assertEquals(1, new AuditReader(database).end().unsealed());
        assertEquals(List.of(), logged());
    }

    @Test
    void a_session_that_reads_the_audit_for_long_does_not_stop_the_seals() throws SQLException {
        tasks.execute("do $$ begin execute 'drop table twinbell.audit_entry_'"
                + " || to_char((clock_timestamp() at time zone 'UTC')::date + 3, 'YYYYMMDD'); end $$");
        try (Connection reader = database.getConnection();
                Statement statement = reader.createStatement()) {
            reader.setAutoCommit(false);
            statement.execute("select count(*) from twinbell.audit_entry");
            epoch = new JdbcEpochRegister(settings, connection)
                    .open(epoch.number(), new Claimant("a", settings.incarnation(), 2, 0), "test")
                    .orElseThrow();
            tasks.execute("insert into twinbell.run_limit (key, max_running) values ('app:shop', 1)");
            settle();
        }
        assertEquals(0, new AuditReader(database).end().unsealed());
    }

    @Test
    void days_older_than_the_retention_are_dropped_at_a_new_epoch() {
        tasks.query("select twinbell.ensure_audit_partition(current_date - 40)");
        tasks.query("select twinbell.ensure_audit_partition(current_date - 20)");
        epoch = new JdbcEpochRegister(settings, connection)
                .open(epoch.number(), new Claimant("a", settings.incarnation(), 2, 0), "test")
                .orElseThrow();
        settle();
        tasks.assertRows(
                "select age from (select current_date - to_date(right(relname, 8), 'YYYYMMDD') as age"
                        + " from pg_class where relkind = 'r' and relname ~ '^audit_entry_[0-9]{8}$') d where age > 2",
                "20");
    }
}
