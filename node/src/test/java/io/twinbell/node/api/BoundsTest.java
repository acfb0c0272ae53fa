package io.twinbell.node.api;

import static io.twinbell.node.api.ApiFixture.assertStatus;
import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.Tasks;
import io.twinbell.node.api.ApiFixture.Reply;
import io.twinbell.node.json.ControlCharacters;
import io.twinbell.persistence.testing.RandomCases;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BoundsTest {
    @AutoClose
    private static final ApiFixture api = new ApiFixture();

    private static final boolean IS_THOROUGH = RandomCases.areMany();

    private static String list(String item, int count) {
        return "[" + (item + ",").repeat(count - 1) + item + "]";
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "[]", "0", "\"\"", "null", "{\"a\":{}}"})
    void a_list_is_given_up_at_its_first_item_too_many(String item) {
        for (String path : new String[] {"/api/v1/tasks/batch", "/api/v1/tasks/batch?dryRun=true"}) {
            Reply bare = api.post(path, list(item, 200_000));
            Reply wrapped = api.post(path, "{\"items\":" + list(item, 10_001) + "}");
            assertAll(
                    () -> assertEquals(400, bare.status()),
                    () -> assertTrue(bare.firstError("detail").contains("more than 10000"), bare.body()::toString),
                    () -> assertEquals(400, wrapped.status()),
                    () -> assertEquals("/items", wrapped.firstError("pointer")));
        }
    }

    @Test
    void a_document_of_more_than_a_million_parts_is_refused() {
        Reply reply = api.post("/api/v1/tasks/batch", "[" + list("1", 1_100_000) + "]");
        assertStatus(400, reply);
        assertTrue(reply.text("/detail").contains("too large"), reply.body().toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"[", "{\"a\":"})
    void deep_documents_are_refused(String level) {
        for (int depth : new int[] {120, 5000, 40_000}) {
            String deep = level.repeat(depth) + "1" + (level.equals("[") ? "]" : "}").repeat(depth);
            assertStatus(400, api.post("/api/v1/tasks", "{\"data\":" + deep + "}"));
            assertStatus(400, api.post("/api/v1/schedules/preview", "{\"schedule\":" + deep + "}"));
            assertStatus(400, api.json("PUT", "/api/v1/calendars/c", deep));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"1e999999999", "-1E-999999999", "1e1001", "0.1e2147483647", "1e99999999999999999999"})
    void numbers_with_giant_exponents_are_refused(String number) {
        assertStatus(400, api.json("PUT", "/api/v1/limits/x", "{\"maxRunning\":" + number + "}"));
        assertStatus(
                400,
                api.post("/api/v1/schedules/preview", "{\"schedule\":{\"every\":\"PT1H\"},\"count\":" + number + "}"));
        assertStatus(400, api.post("/api/v1/tasks/1/pause", "{\"until\":" + number + "}"));
    }

    @Test
    void a_number_of_a_hundred_thousand_digits_is_refused() {
        String digits = "9".repeat(100_000);
        assertStatus(400, api.json("PUT", "/api/v1/limits/x", "{\"maxRunning\":" + digits + "}"));
    }

    @Test
    void many_exponents_may_not_make_a_document_far_longer_than_it_came() {
        Reply reply = api.post(
                "/api/v1/tasks/batch", "[{\"app\":\"a\",\"name\":\"n\",\"data\":" + list("1e999", 5000) + "}]");
        assertStatus(400, reply);
        assertEquals("/0", reply.firstError("pointer"));
    }

    @Test
    void an_answer_has_at_most_100_errors_and_says_that_there_are_more() {
        String fields =
                IntStream.range(0, 20_000).mapToObj(i -> "\"f" + i + "\":1").collect(Collectors.joining(","));
        for (String path : new String[] {"/api/v1/tasks", "/api/v1/schedules/preview", "/api/v1/cluster/pause"}) {
            Reply reply = api.post(path, "{" + fields + "}");
            assertAll(
                    () -> assertEquals(400, reply.status()),
                    () -> assertEquals(100, reply.body().get("errors").size()),
                    () -> assertTrue(reply.text("/detail").contains("more others"), path),
                    () -> assertTrue(reply.raw().body().length() < 20_000, path));
        }
    }

    @Test
    void a_long_name_is_not_repeated_in_every_error() {
        String inside =
                IntStream.range(0, 100).mapToObj(i -> "\"f" + i + "\":1").collect(Collectors.joining(","));
        String task = "{\"app\":\"a\",\"name\":\"n\",\"" + "x".repeat(40_000) + "\":1,\"schedule\":{" + inside + "}}";
        Reply reply = api.post("/api/v1/tasks", task);
        assertStatus(400, reply);
        assertTrue(
                reply.raw().body().length() < 20_000,
                "was " + reply.raw().body().length());
    }

    @Test
    void a_batch_of_mistakes_is_answered_with_100_errors_and_every_items_first_one() {
        Reply reply = api.post("/api/v1/tasks/batch", list("{\"a\":1,\"b\":2}", 2000));
        int errors = 0;
        for (JsonNode item : reply.body().get("items")) {
            assertEquals(400, item.get("status").intValue());
            assertTrue(item.at("/problem/detail").isTextual());
            errors += item.at("/problem/errors").size();
        }
        assertEquals(100, errors);
        assertEquals(2000, reply.number("/refused"));
        assertTrue(reply.number("/errorsLeftOut") > 1900);
    }

    @Test
    void a_body_longer_than_the_bound_of_its_route_is_refused_with_that_bound() {
        String text = "{\"reason\":\"" + "x".repeat(300 * 1024) + "\"}";
        for (String path : new String[] {"/api/v1/tasks", "/api/v1/tasks/1/trigger", "/api/v1/cluster/hold"}) {
            Reply reply = api.post(path, text);
            assertEquals(413, reply.status(), path);
            assertTrue(reply.text("/detail").contains("262144"), path);
        }
        assertStatus(413, api.json("PUT", "/api/v1/calendars/c", "{\"a\":\"" + "x".repeat(1024 * 1024) + "\"}"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\\u202e",
                "\\u2028",
                "\\u2029",
                "\\u200f",
                "\\u061c",
                "\\u009b",
                "\\u001b",
                "\\n",
                "\\ufeff",
                "\\u00ad",
                "\\u180e",
                "\\u200b",
                "\\u200d",
                "\\u2060",
                "\\udb40\\udc41"
            })
    void control_and_format_characters_are_refused_in_names_and_reasons(String character) {
        String more = "\"schedule\":{\"every\":\"PT1H\"},\"handler\":{\"type\":\"java\",\"key\":\"k\"}}";
        assertAll(
                () -> assertPointer(
                        "/name", "/api/v1/tasks", "{\"app\":\"a\",\"name\":\"x" + character + "y\"," + more),
                () -> assertPointer(
                        "/owner",
                        "/api/v1/tasks",
                        "{\"app\":\"a\",\"name\":\"x\",\"owner\":\"" + character + "y\"," + more),
                () -> assertPointer(
                        "/tags/1",
                        "/api/v1/tasks",
                        "{\"app\":\"a\",\"name\":\"x\",\"tags\":[\"t\",\"" + character + "y\"]," + more),
                () -> assertPointer(
                        "/then/1/name",
                        "/api/v1/tasks",
                        "{\"app\":\"a\",\"name\":\"x\",\"then\":[\"y\",{\"app\":\"b\",\"name\":\"" + character
                                + "y\"}]," + more),
                () -> assertPointer(
                        "/handler/message",
                        "/api/v1/tasks",
                        "{\"app\":\"a\",\"name\":\"x\",\"schedule\":{\"every\":\"PT1H\"},"
                                + "\"handler\":{\"type\":\"log\",\"message\":\"" + character + "y\"}}"),
                () -> assertPointer("/reason", "/api/v1/cluster/pause", "{\"reason\":\"x" + character + "\"}"),
                () -> assertPointer("/by", "/api/v1/cluster/hold", "{\"by\":\"" + character + "x\"}"));
        Reply batch = api.post("/api/v1/tasks/batch", "[{\"app\":\"a\",\"name\":\"x" + character + "y\"," + more + "]");
        assertEquals(1, batch.number("/refused"));
    }

    private static void assertPointer(String pointer, String path, String body) {
        Reply reply = api.post(path, body);
        assertEquals(400, reply.status(), body);
        assertEquals(pointer, reply.firstError("pointer"), body);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a%E2%80%AEb", "%E2%80%A8", "x%D8%9C", "a%EF%BB%BFb", "a%C2%ADb"})
    void a_put_stores_no_such_name_from_its_path(String name) {
        assertStatus(400, api.json("PUT", "/api/v1/limits/" + name, "{\"maxRunning\":1}"));
        assertStatus(404, api.delete("/api/v1/limits/" + name));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/api/v1/tasks?after=99999999999999999999",
                "/api/v1/tasks?after=-",
                "/api/v1/tasks?limit=2147483648",
                "/api/v1/tasks?limit=-1",
                "/api/v1/executions?after=9223372036854775807-9223372036854775808",
                "/api/v1/executions?after=--",
                "/api/v1/executions?limit=10001&brief=true",
                "/api/v1/executions?epoch=1e3",
                "/api/v1/executions/stream?after=1.2.-3",
                "/api/v1/alerts?limit=0",
                "/api/v1/cluster/epochs?since=9999-12-31T00:00:00Z"
            })
    void a_forged_cursor_or_limit_is_refused(String path) {
        assertStatus(400, api.get(path));
    }

    /** Two planes, the plane of tags and selectors, and some of every block of the planes that are nearly empty. */
    private static boolean isInUse(int one) {
        return one < 0x20000 || 0xe0000 <= one && one <= 0xe0fff || one % 64 == 0 || one % 64 == 63;
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "\u05d0"})
    void the_database_and_the_nodes_have_the_same_list(String beside) {
        String ours = IntStream.rangeClosed(1, Character.MAX_CODE_POINT)
                .filter(one -> IS_THOROUGH || isInUse(one))
                .filter(one -> Character.getType(one) != Character.SURROGATE)
                .filter(one -> ControlCharacters.isIn(beside + Character.toString(one) + beside))
                .mapToObj(Integer::toHexString)
                .collect(Collectors.joining(" "));
        assertEquals(ours, api.text("""
                select string_agg(to_hex(i), ' ' order by i) from generate_series(1, 1114111) i
                where case when i between 55296 and 57343 or not (%2$s or i < 131072 or i between 917504 and 921599
                    or i %% 64 in (0, 63)) then false
                  else twinbell.has_hidden_characters('%1$s' || chr(i) || '%1$s') end""".formatted(beside, IS_THOROUGH)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1\ufe0f\u20e3",
                "1\ufe0f\u20e3 and 2\ufe0f",
                "1\ufe0e\u20e3",
                "❤\ufe0f\u200d🔥",
                "❤\ufe0f\ufe0f",
                "\ufe0f",
                "©\ufe0f",
                "™\ufe0fx\ufe0f",
                "葛\udb40\udd00",
                "k\udb40\udd00",
                "ᠠ\u180b\u180f",
                "\u3164",
                "a\u034f"
            })
    void the_database_and_the_nodes_judge_the_same_of_selectors(String text) {
        assertEquals(
                ControlCharacters.isIn(text) ? "t" : "f",
                api.text(
                        "select case when twinbell.has_hidden_characters('%s') then 't' else 'f' end".formatted(text)));
    }

    @Test
    void a_program_that_embeds_a_node_is_refused_too() {
        String json = "{\"schedule\":{\"every\":\"PT1H\"},\"handler\":{\"type\":\"log\"}}";
        IllegalArgumentException refused =
                assertThrows(IllegalArgumentException.class, () -> Tasks.check("a", "x\ufeffy", json));
        assertTrue(refused.getMessage().contains("/name"), refused.getMessage());
        Tasks.check("a", "\u0645\u06cc\u200c\u062e", json);
    }

    @Test
    void a_stored_task_with_such_a_name_can_be_read_changed_and_removed() {
        long id = api.task("old");
        api.execute("update twinbell.task set name = E'o\\ufeffld' where id = " + id);
        String path = "/api/v1/apps/billing/tasks/o%EF%BB%BFld";
        long found = api.number("select id from twinbell.task where name = E'o\\ufeffld'");
        assertEquals(id, found);
        assertStatus(200, api.get("/api/v1/tasks/" + id));
        assertStatus(200, api.json("PATCH", "/api/v1/tasks/" + id, "{\"priority\":3}"));
        assertStatus(200, api.post("/api/v1/tasks/" + id + "/pause", "{}"));
        assertStatus(200, api.post("/api/v1/tasks/" + id + "/resume", "{}"));
        String app = api.text("select app from twinbell.task where id = " + id);
        assertStatus(200, api.get(path.replace("billing", app)));
        assertStatus(204, api.delete("/api/v1/tasks/" + id));
    }
}
