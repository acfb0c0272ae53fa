package io.twinbell.node.json;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StrictJsonTest {
    private static byte[] bytes(String json) {
        return json.getBytes(StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "{",
                "{\"a\":1,\"a\":2}",
                "{\"a\":{\"b\":1,\"b\":1}}",
                "1 2",
                "{} x",
                "{'a':1}",
                "{a:1}",
                "NaN",
                "[1,]",
                "01",
                "\"\u0001\"",
                "// x\n1"
            })
    void anything_but_exactly_one_document_is_refused(String json) {
        assertThrows(InvalidJsonException.class, () -> StrictJson.read(bytes(json)));
    }

    @Test
    void bytes_that_are_not_utf_8_are_refused() {
        byte[] broken = {'"', (byte) 0xc3, '"'};
        assertThrows(InvalidJsonException.class, () -> StrictJson.read(broken));
    }

    @Test
    void nesting_without_end_is_refused() {
        assertThrows(InvalidJsonException.class, () -> StrictJson.read(bytes("[".repeat(100_000))));
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.10", "123456789012345678901234567890", "-0.000000000000000000001", "0"})
    void numbers_keep_every_digit(String number) {
        assertEquals(number, StrictJson.write(StrictJson.read(bytes(number))));
    }

    @Test
    void numbers_are_written_as_wide_as_the_database_will() {
        assertEquals("1000000000", StrictJson.write(StrictJson.read(bytes("1e9"))));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {"a/b":["x\\u0000"]}      | /a~1b/0
            {"a~b":["\\u0000"]}       | /a~0b/0
            [1,"\\ud800"]             | /1
            {"n":1e1001}              | /n
            {"n":-1e-1001}            | /n
            """)
    void a_value_that_the_database_cannot_store_is_refused_at_its_place(String json, String pointer) {
        InvalidJsonException refusal = assertThrows(InvalidJsonException.class, () -> StrictJson.read(bytes(json)));
        assertEquals(pointer, refusal.errors().get(0).pointer());
    }

    /** The examples of RFC 7396, appendix A, that have objects on both sides. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {"a":"b"}             | {"a":"c"}                | {"a":"c"}
            {"a":"b"}             | {"b":"c"}                | {"a":"b","b":"c"}
            {"a":"b"}             | {"a":null}               | {}
            {"a":"b","b":"c"}     | {"a":null}               | {"b":"c"}
            {"a":["b"]}           | {"a":"c"}                | {"a":"c"}
            {"a":"c"}             | {"a":["b"]}              | {"a":["b"]}
            {"a":{"b":"c"}}       | {"a":{"b":"d","c":null}} | {"a":{"b":"d"}}
            {"a":[{"b":"c"}]}     | {"a":[1]}                | {"a":[1]}
            {"e":null}            | {"a":1}                  | {"e":null,"a":1}
            {}                    | {"a":{"bb":{"ccc":null}}} | {"a":{"bb":{}}}
            """)
    void a_merge_patch_does_what_the_standard_says(String target, String patch, String result) {
        ObjectNode merged = MergePatch.apply(
                (ObjectNode) StrictJson.read(bytes(target)), (ObjectNode) StrictJson.read(bytes(patch)));
        assertEquals(StrictJson.read(bytes(result)), merged);
    }

    @ParameterizedTest
    @CsvSource({"nmae,name", "Schedul,schedule", "tag,tags", "hanlder,handler"})
    void a_typing_error_is_guessed(String given, String meant) {
        assertEquals(Optional.of(meant), NearestName.of(given, List.of("name", "schedule", "tags", "handler")));
    }

    @Test
    void a_name_near_no_other_gets_no_suggestion() {
        assertEquals(Optional.empty(), NearestName.of("colour", List.of("name", "schedule")));
        assertEquals("", NearestName.hint("x".repeat(100_000), List.of("name")));
    }

    @Test
    void a_document_full_of_mistakes_gets_few_suggestions() {
        ObjectNode document = JsonNodeFactory.instance.objectNode();
        for (int i = 0; i < 200; i++) {
            document.put("name" + (char) (0x4e00 + i), 1);
        }
        List<FieldError> errors = new ArrayList<>();
        Fields fields = Fields.of(document, "", errors);
        fields.json("name");
        fields.refuseUnknown();
        assertEquals(200, errors.size());
        assertEquals(
                20,
                errors.stream()
                        .filter(error -> error.detail().contains("did you mean"))
                        .count());
    }

    @Test
    void instants_have_three_digits_and_are_read_from_any_offset() {
        assertEquals("2026-03-29T01:00:00.000Z", Instants.text(Instants.millis("2026-03-29T03:00:00+02:00")));
        assertEquals("1970-01-01T00:00:00.001Z", Instants.text(1));
        assertTrue(assertThrows(IllegalArgumentException.class, () -> Instants.millis("2200-01-01T00:00:00Z"))
                .getMessage()
                .contains("between 1970 and 2199"));
        assertThrows(IllegalArgumentException.class, () -> Instants.millis("2026-03-29"));
        assertThrows(IllegalArgumentException.class, () -> Instants.millis("2026-03-29T01:00:00.0001Z"));
    }
}
