package io.twinbell.node.pair.database;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestSettings;
import io.twinbell.persistence.testing.TestTasks;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

class ChangeListenerTest {
    private final PGSimpleDataSource database = TestPostgres.freshDatabase();
    private final TestTasks tasks = new TestTasks(database);
    private final List<String> heard = new ArrayList<>();

    @Test
    void it_tells_what_changed_and_that_it_had_to_connect_anew() {
        try (DedicatedConnection connection = new DedicatedConnection(TestSettings.of(database, "a"), "listen", 5)) {
            ChangeListener listener = new ChangeListener(connection, recording(), failure -> {});
            listener.step();
            tasks.execute(
                    "select pg_notify('twinbell_task', '3,4'); notify twinbell_ledger;"
                            + " notify twinbell_calendar; notify twinbell_limit; notify twinbell_parked; notify twinbell_epoch");
            listener.step();
            tasks.query("select pg_terminate_backend(pid, 2000) from pg_stat_activity"
                    + " where datname = current_database() and application_name like '%/listen/%'");
            listener.step();
            listener.step();
            assertEquals(
                    List.of(
                            "listening",
                            "tasks [3, 4]",
                            "ledger",
                            "calendars",
                            "limits",
                            "parked",
                            "epoch",
                            "listening"),
                    heard);
        }
    }

    @Test
    void a_closed_listener_breaks_off_its_wait_and_reports_no_failure() throws Exception {
        List<Exception> failures = new CopyOnWriteArrayList<>();
        try (DedicatedConnection connection = new DedicatedConnection(TestSettings.of(database, "a"), "listen", 5)) {
            ChangeListener listener = new ChangeListener(connection, recording(), failures::add);
            listener.step();
            AtomicBoolean isClosed = new AtomicBoolean();
            Thread thread = new Thread(() -> {
                while (!isClosed.get()) {
                    listener.step();
                }
            });
            thread.start();
            listener.close();
            isClosed.set(true);
            thread.join();
            tasks.execute("notify twinbell_ledger");
            listener.step();
        }
        assertEquals(List.of("listening"), heard);
        assertEquals(List.of(), failures);
    }

    private ChangeListener.Changes recording() {
        return new ChangeListener.Changes() {
            @Override
            public void listening() {
                heard.add("listening");
            }

            @Override
            public void tasksChanged(long[] taskIds) {
                heard.add("tasks " + Arrays.toString(taskIds));
            }

            @Override
            public void ledgerChanged() {
                heard.add("ledger");
            }

            @Override
            public void calendarsChanged() {
                heard.add("calendars");
            }

            @Override
            public void limitsChanged() {
                heard.add("limits");
            }

            @Override
            public void callbackAnswered() {
                heard.add("parked");
            }

            @Override
            public void epochChanged() {
                heard.add("epoch");
            }
        };
    }
}
