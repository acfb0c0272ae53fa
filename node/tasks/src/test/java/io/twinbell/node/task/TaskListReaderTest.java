package io.twinbell.node.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.json.MemberDefaults;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.schedule.BusinessCalendar;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.schedule.TimeRanges;
import io.twinbell.persistence.task.NewTask;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TaskListReaderTest {
    private static final long NOON = 1_772_366_400_000L;
    private static final int PER_LIST = 40;
    /** In seconds since 1970. */
    private static final long MARCH_1 = LocalDate.parse("2027-03-01").toEpochDay() * 86_400;

    private static final List<String> INSTANTS = List.of("""
                2027-03-01T12:00:00.000Z 2027-03-01T12:00:00.001Z 2027-03-01T12:00:01Z \
                2027-03-01T12:00:01+01:00 2027-03-01T12:00:00.0005Z 1970-01-01T00:00:00.000Z \
                1969-12-31T23:59:59.999Z 2199-12-31T23:59:59.999Z 2200-01-01T00:00:00.000Z \
                2027-02-30T12:00:00.000Z 2027-03-02T12:00:00.000Z now""".split(" "));

    private static final List<String> NAMES =
            List.of("\"one\"", "\"two words\"", "\"\"", "\" \"", "\"grün\"", "\"a\\tb\"", "7", "null");

    private static final List<String> DATA = List.of(
            "{\"order\":4711}",
            "{\"order\":\"\\\"schedule\\\":{\"}",
            "{\"sum\":1.50}",
            "1e3",
            "null",
            "[]",
            "\"" + "x".repeat(Payload.MAX_BYTES - 2) + "\"",
            "\"" + "x".repeat(Payload.MAX_BYTES - 1) + "\"",
            "\"" + "ü".repeat(Payload.MAX_BYTES / 2) + "\"",
            "[".repeat(100) + "]".repeat(100),
            "[".repeat(101) + "]".repeat(101));

    /** The calendar "closed" excludes 1 March 2027, and tasks of the app "shop" have a default timeout. */
    private static final Calendars SURROUNDINGS = ((Calendars) name -> new BusinessCalendar(
                    name,
                    1,
                    BusinessCalendar.Mode.EXCLUDE,
                    ZoneId.of("UTC"),
                    new BusinessCalendar.Times(
                            new TimeRanges.Collector()
                                    .add(MARCH_1, MARCH_1 + 86_400)
                                    .merged(),
                            TimeRanges.NONE,
                            TimeRanges.NONE)))
            .with(app ->
                    new MemberDefaults(List.of(new MemberDefaults.Level("app:shop", json("{\"timeout\":\"PT9S\"}")))));

    private static ObjectNode json(String json) {
        return (ObjectNode) StrictJson.read(json.getBytes(StandardCharsets.UTF_8));
    }

    private static ObjectNode task(String shared, String name, String at, String data) {
        return json("{\"app\":\"shop\",\"name\":" + name + ",\"schedule\":{\"at\":\"" + at + "\"}"
                + (data == null ? "" : ",\"data\":" + data) + shared + "}");
    }

    private static Object result(Supplier<NewTask> reading) {
        try {
            return reading.get();
        } catch (RuntimeException e) {
            return e.toString();
        }
    }

    private static void assertReadAsAlone(List<ObjectNode> tasks) {
        TaskListReader list = new TaskListReader(NOON, SURROUNDINGS);
        for (ObjectNode task : tasks) {
            Object alone = result(() -> TaskReader.newTask(task.deepCopy(), NOON, SURROUNDINGS));
            assertEquals(alone, result(() -> list.newTask(task)), task::toString);
        }
    }

    @Test
    void the_third_of_similar_tasks_shares_what_the_second_has() {
        TaskListReader list = new TaskListReader(NOON, Calendars.NONE);
        String shared = ",\"tags\":[\"a\",\"b\"],\"handler\":{\"type\":\"java\",\"key\":\"k\"}";
        list.newTask(task(shared, "\"one\"", INSTANTS.get(0), "{\"n\":1.5}"));
        NewTask second = list.newTask(task(shared, "\"two\"", INSTANTS.get(1), "{\"n\":2}"));
        NewTask third = list.newTask(task(shared, "\"three\"", INSTANTS.get(2), "{\"n\":[]}"));
        assertSame(second.content().tags(), third.content().tags());
        NewTask other = list.newTask(task(shared.replace("\"b\"", "\"c\""), "\"four\"", INSTANTS.get(2), "{}"));
        assertNotSame(second.content().tags(), other.content().tags());
        assertEquals(List.of("a", "c"), other.content().tags());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                ",\"handler\":{\"type\":\"java\",\"key\":\"k\"}",
                ",\"handler\":{\"type\":\"java\",\"key\":\"k\"},\"retry\":{\"maxAttempts\":3},\"enabled\":false",
                ",\"handler\":{\"type\":\"java\",\"key\":\"k\"},\"priority\":9,\"tags\":[\"x\"],\"owner\":\"o\"",
                ",\"handler\":{\"type\":\"java\",\"key\":\"k\"},\"jitter\":\"PT1M\"",
                ",\"handler\":{\"type\":\"java\",\"key\":\"k\"},\"jitter\":\"PT0.001S\"",
                ",\"handler\":{\"type\":\"java\",\"key\":\"k\"},\"calendars\":[\"closed\"]",
                ",\"handler\":{\"type\":\"java\",\"key\":\"k\"},\"retry\":{\"maxAttempts\":2,\"factor\":1.50}",
                ",\"handler\":{\"type\":\"java\",\"key\":\"k\"},\"start\":\"2027-03-01T12:00:00.001Z\"",
                ",\"handler\":{\"type\":\"java\",\"key\":\"k\"},\"end\":\"2027-03-01T12:00:00.001Z\"",
                ",\"handler\":{\"type\":\"java\",\"key\":\"k\"},\"then\":[\"audit\"],\"orphan\":\"RERUN\"",
                ",\"handler\":{\"type\":\"java\",\"key\":\"k\"},\"expireAfter\":\"PT1H\",\"concurrencyKey\":\"c\"",
                ",\"handler\":{\"type\":\"java\",\"key\":\"k\"},\"nonsense\":1",
                ",\"handler\":{\"type\":\"log\",\"message\":\"{{data.order}}\"}",
                ",\"handler\":{\"type\":\"http\",\"url\":\"http://h/{{data.order}}\"}",
                ",\"handler\":{\"type\":\"sql\",\"statement\":\"select 1\"}",
            })
    void a_list_is_read_as_its_tasks_alone_are(String shared) {
        SplittableRandom random = new SplittableRandom(shared.hashCode());
        List<ObjectNode> tasks = new ArrayList<>();
        for (int i = 0; i < PER_LIST; i++) {
            boolean isPlain = random.nextInt(3) > 0;
            tasks.add(task(
                    shared,
                    isPlain ? "\"n" + i + "\"" : NAMES.get(random.nextInt(NAMES.size())),
                    INSTANTS.get(random.nextInt(isPlain ? 3 : INSTANTS.size())),
                    DATA.get(random.nextInt(isPlain ? 2 : DATA.size()))));
        }
        assertReadAsAlone(tasks);
        tasks.forEach(task -> task.remove("data"));
        assertReadAsAlone(tasks);
    }

    @Test
    void similar_tasks_among_others_are_read_as_alone() {
        SplittableRandom random = new SplittableRandom(3);
        List<String> kinds = List.of(
                ",\"handler\":{\"type\":\"java\",\"key\":\"k\"}",
                ",\"handler\":{\"type\":\"java\",\"key\":\"l\"}",
                ",\"handler\":{\"type\":\"java\",\"key\":\"l\"},\"timeout\":\"PT1S\"");
        List<ObjectNode> tasks = new ArrayList<>();
        for (int i = 0; i < 3 * PER_LIST; i++) {
            String kind = kinds.get(random.nextInt(10) > 7 ? random.nextInt(kinds.size()) : 0);
            tasks.add(
                    task(kind, "\"n" + i + "\"", INSTANTS.get(random.nextInt(2)), random.nextBoolean() ? "{}" : null));
        }
        tasks.add(
                PER_LIST,
                json("{\"app\":\"shop\",\"name\":\"often\",\"schedule\":{\"every\":\"PT1M\"}"
                        + ",\"handler\":{\"type\":\"java\",\"key\":\"k\"}}"));
        tasks.addAll(Collections.nCopies(
                3,
                json("{\"app\":\"shop\",\"name\":\"soon\",\"schedule\":{\"in\":\"PT1M\"}"
                        + ",\"handler\":{\"type\":\"java\",\"key\":\"k\"}}")));
        assertReadAsAlone(tasks);
    }

    @Test
    void no_data_does_not_stand_in_for_another_member() {
        String handler = ",\"handler\":{\"type\":\"java\",\"key\":\"k\"}";
        for (String other :
                List.of("\"enabled\":false", "\"owner\":\"o\"", "\"bogus\":1", "\"data\":{}", "\"app\":\"b\"")) {
            List<ObjectNode> tasks = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                tasks.add(task(handler, "\"n" + i + "\"", INSTANTS.get(0), "null"));
            }
            ObjectNode last = task(handler, "\"last\"", INSTANTS.get(1), null);
            last.setAll(json("{" + other + "}"));
            tasks.add(last);
            assertReadAsAlone(tasks);
        }
    }

    @Test
    void what_is_no_object_is_refused_as_alone() {
        TaskListReader list = new TaskListReader(NOON, Calendars.NONE);
        Object refusal = result(() -> list.newTask(json("{\"a\":[]}").get("a")));
        assertTrue(refusal.toString().contains("must be a JSON object"), refusal.toString());
    }
}
