package io.twinbell.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.client.ExecutionSelection;
import io.twinbell.client.HandlerKey;
import io.twinbell.client.IfTaskExists;
import io.twinbell.client.JdbcTaskClient;
import io.twinbell.client.StoredTask;
import io.twinbell.client.TaskAction;
import io.twinbell.client.TaskDraft;
import io.twinbell.client.TaskRefusedException;
import io.twinbell.client.TaskSchedule;
import io.twinbell.persistence.testing.TestPostgres;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The same calls of a client, by the SQL functions and in virtual time, have the same answers. */
class SameAnswersTest {
    private static final HandlerKey<Integer> CLOSE = HandlerKey.of("close", Integer.class);

    private final Map<String, Function<JdbcTaskClient, Object>> calls = new LinkedHashMap<>();

    private static Object put(JdbcTaskClient client, UnaryOperator<TaskDraft> change) {
        TaskDraft draft = TaskDraft.of(TaskAction.java(CLOSE), TaskSchedule.in(Duration.ofDays(1)))
                .name("task");
        return client.put(change.apply(draft), IfTaskExists.KEEP).name();
    }

    private static long id(JdbcTaskClient client, IfTaskExists ifExists) {
        return client.schedule(CLOSE, 1)
                .in(Duration.ofDays(2))
                .ifExists(ifExists)
                .named("twice")
                .id();
    }

    private void drafts() {
        calls.put("plain", client -> put(client, task -> task));
        calls.put("name", client -> put(client, task -> task.name("x".repeat(201))));
        calls.put("control character", client -> put(client, task -> task.name("a\nb")));
        calls.put("app", client -> put(client, task -> task.app("")));
        calls.put("tags", client -> put(client, task -> task.tags("")));
        calls.put("data", client -> put(client, task -> task.data("x".repeat(70_000))));
        calls.put("followers", client -> put(client, task -> task.then("task", "other")));
    }

    private void names() {
        calls.put("kept", client -> id(client, IfTaskExists.KEEP) == id(client, IfTaskExists.KEEP));
        calls.put("replaced", client -> id(client, IfTaskExists.KEEP) == id(client, IfTaskExists.REPLACE));
        calls.put("refused", client -> id(client, IfTaskExists.REFUSE));
        calls.put("removed", client -> client.cancel("twice"));
        calls.put("removed before", client -> client.cancel("twice"));
        calls.put("free again", client -> id(client, IfTaskExists.REFUSE) > 0);
        calls.put(
                "a list with a bad task",
                client -> client.addAll(
                        List.of(
                                client.schedule(CLOSE, 1).draft().name("first"),
                                client.schedule(CLOSE, 1).draft().name("second").owner("")),
                        IfTaskExists.REFUSE));
        calls.put("nothing of it", client -> client.cancel("first"));
        calls.put(
                "a name twice in a list",
                client -> client.addAll(
                        List.of(
                                client.schedule(CLOSE, 1).draft().name("first"),
                                client.schedule(CLOSE, 1).draft().name("first")),
                        IfTaskExists.REFUSE));
    }

    private static Object results(JdbcTaskClient client, IfTaskExists ifExists, String... names) {
        List<TaskDraft> drafts = Stream.of(names)
                .map(name ->
                        client.schedule(CLOSE, 1).in(Duration.ofDays(2)).draft().name(name))
                .toList();
        return client.addAll(drafts, ifExists).stream().map(StoredTask::result).toList();
    }

    private void results() {
        calls.put("new", client -> results(client, IfTaskExists.KEEP, "r1"));
        calls.put("new and kept", client -> results(client, IfTaskExists.KEEP, "r1", "r2", "r2"));
        calls.put("new and replaced", client -> results(client, IfTaskExists.REPLACE, "r3", "r3", "r1"));
        calls.put("new, or refused", client -> results(client, IfTaskExists.REFUSE, "r4", "r5"));
        calls.put("cancelled", client -> client.cancel("r1"));
        calls.put("new after that", client -> results(client, IfTaskExists.KEEP, "r1", "r2"));
    }

    private void executions() {
        ExecutionSelection failed = ExecutionSelection.failed();
        calls.put("none", client -> client.executions(failed, 10, null).items());
        calls.put("limit", client -> client.executions(failed, 0, null));
        calls.put("state", client -> client.executions(failed.inStates("FAILD"), 10, null));
        calls.put("cursor", client -> client.executions(failed, 10, "first"));
        calls.put("unknown", client -> client.rerun("4711-1767225600000", "again"));
        calls.put("no id", client -> client.rerun("first", "again"));
        calls.put("no states", client -> client.rerunAll(ExecutionSelection.all(), "again"));
        calls.put("a state that is not final", client -> client.rerunAll(failed.inStates("RUNNING"), "again"));
        calls.put("none again", client -> client.rerunAll(failed, "again"));
        calls.put("a long reason", client -> client.rerunAll(failed, "x".repeat(501)));
        calls.put("an invisible reason", client -> client.rerunAll(failed, "a\u200eb"));
    }

    /** The SQL function stores it, and the master that reads it sets its state to ERROR. */
    @Test
    void what_the_master_judges_is_refused_at_once_in_virtual_time() {
        List<UnaryOperator<TaskDraft>> mistakes = List.of(
                task -> task.schedule(TaskSchedule.cron("61 2 * * *")),
                task -> task.schedule(TaskSchedule.cron("0 0 30 2 *")),
                task -> task.priority(10),
                task -> task.timeout(Duration.ofSeconds(-1)),
                task -> task.maxRuns(0),
                task -> task.end(Instant.parse("2020-01-01T00:00:00Z")),
                task -> task.calendars("unknown"),
                task -> task.handler(TaskAction.http("ftp://shop.example/")));
        JdbcTaskClient sql = JdbcTaskClient.of(TestPostgres.freshDatabase(), "shop");
        try (TestScheduler scheduler =
                TestScheduler.builder().handler("close", context -> null).start()) {
            for (UnaryOperator<TaskDraft> mistake : mistakes) {
                assertEquals("task", answer(sql, client -> put(client, mistake)));
                assertEquals("refused, 400", answer(scheduler.client("shop"), client -> put(client, mistake)));
            }
        }
    }

    @Test
    void calls_have_the_same_answers_in_virtual_time() {
        drafts();
        names();
        results();
        executions();
        JdbcTaskClient sql = JdbcTaskClient.of(TestPostgres.freshDatabase(), "shop");
        try (TestScheduler scheduler = TestScheduler.builder()
                .handler("close", context -> null)
                .standIn("http", context -> null)
                .start()) {
            String bySql = answers(sql);
            assertEquals(bySql, answers(scheduler.client("shop")));
            assertTrue(bySql.contains("new and replaced: [CREATED, REPLACED, REPLACED]"), bySql);
            assertTrue(bySql.contains("new and kept: [KEPT, CREATED, KEPT]"), bySql);
        }
    }

    private String answers(JdbcTaskClient client) {
        StringBuilder answers = new StringBuilder();
        calls.forEach((name, call) ->
                answers.append(name).append(": ").append(answer(client, call)).append('\n'));
        return answers.toString();
    }

    private static Object answer(JdbcTaskClient client, Function<JdbcTaskClient, Object> call) {
        try {
            return call.apply(client);
        } catch (TaskRefusedException e) {
            return "refused, " + e.status();
        }
    }
}
