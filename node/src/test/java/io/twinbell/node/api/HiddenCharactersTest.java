package io.twinbell.node.api;

import static io.twinbell.node.api.ApiFixture.assertStatus;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.Tasks;
import io.twinbell.node.json.ControlCharacters;
import io.twinbell.persistence.testing.RandomCases;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Format characters in names: refused alike by every way in, and harmless where they are stored. */
class HiddenCharactersTest {
    private static final boolean IS_THOROUGH = RandomCases.areMany();

    @AutoClose
    private static final ApiFixture api = new ApiFixture();

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
