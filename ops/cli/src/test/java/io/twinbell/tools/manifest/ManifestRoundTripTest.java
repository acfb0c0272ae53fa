package io.twinbell.tools.manifest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.persistence.testing.RandomCases;
import io.twinbell.tools.terminal.Yaml;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What export writes, apply reads as the same. */
class ManifestRoundTripTest {
    private static final int DOCUMENTS = 1_500;
    private static final List<String> TEXTS = List.of(
            "<<",
            "=",
            "~",
            "null",
            "Null",
            "yes",
            "NO",
            "on",
            "y",
            "0o17",
            "017",
            "0x1F",
            "0b1",
            "1e3",
            "1E400",
            "1_000",
            ".5",
            "-.inf",
            ".NaN",
            "1:30",
            "190:20:30",
            "2026-03-29",
            "2026-03-29T10:00:00Z",
            "",
            " ",
            "a ",
            " a",
            "\t",
            "a\tb",
            "\n",
            "\n\n\n",
            "a\n",
            "a\n\n",
            "\na",
            "a\r\nb\r\n",
            "\r",
            "\u0085",
            "a\u2028b",
            "\ufeff",
            "\ufffe",
            "\uffff",
            "\ud83d\ude00",
            "\u00a0",
            "\u200b",
            "\u202e",
            "\u0001",
            "\u001b[31m",
            ":",
            ": ",
            "a: b",
            "a:b",
            "a #b",
            "#",
            "%",
            "%YAML 1.2",
            "---",
            "--- a",
            "...",
            "- a",
            "-",
            "? a",
            "?",
            "!",
            "!!str a",
            "&a",
            "*a",
            "| a",
            ">",
            "@a",
            "`a",
            "'",
            "\"",
            "\\",
            "\\n",
            "{}",
            "[]",
            "{a: b}",
            ",",
            "a, b",
            "x: |\n  y",
            "  a\n b",
            "a\n  b\n c",
            "trailing \nspace ",
            "C:\\x",
            "http://h:1/p?q=a b#c",
            "a\n# b\n--- c\n...",
            "$",
            "${x}");

    @Test
    void every_text_is_the_same_again_as_value_and_as_key() throws Exception {
        for (String text : TEXTS) {
            assertSame(JsonNodeFactory.instance.objectNode().put("value", text).put(text, "key"));
            ObjectNode listed = JsonNodeFactory.instance.objectNode();
            listed.putArray("list")
                    .add(text)
                    .addObject()
                    .put(text, text)
                    .putArray("in " + text)
                    .addArray()
                    .add(text);
            assertSame(listed);
        }
    }

    @Test
    void texts_and_keys_of_any_length_are_the_same_again() throws Exception {
        for (int length : new int[] {1_000, 1_025, 2_000, 65_536, 300_000}) {
            for (String piece : List.of("a", "ab ", "é", "\ud83d\ude00", "\n", "a\n", "a: ", "\"", "<<", "1")) {
                String text = piece.repeat(length / piece.length());
                ObjectNode json = JsonNodeFactory.instance.objectNode().put("value", text);
                json.put(text, 1).putArray("list").addObject().put(text, 1).put("next", 2);
                assertSame(json);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0",
                "-0.0",
                "1",
                "1.0",
                "1.50",
                "-7",
                "0.1",
                "1E-7",
                "1E+400",
                "1E-400",
                "123456789012345678901234567890",
                "3.14159265358979323846264338327950288",
                "-1E+3",
                "9223372036854775808"
            })
    void every_number_keeps_its_value(String number) throws Exception {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("n", new BigDecimal(number)).putArray("list").add(new BigDecimal(number));
        assertSame(json);
        assertEquals(
                0,
                new BigDecimal(number)
                        .compareTo(read(Yaml.text(task(json))).get("n").decimalValue()));
    }

    @Test
    void depth_and_emptiness_are_kept() throws Exception {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.putObject("object");
        json.putArray("array").addArray().addArray();
        json.putNull("null");
        ObjectNode in = json.putObject("deep");
        for (int i = 0; i < 200; i++) {
            in = i % 2 == 0
                    ? in.putObject("in")
                    : in.putArray("list").addArray().addObject();
        }
        assertSame(json);
    }

    @Test
    void random_documents_are_the_same_again() throws Exception {
        long seed = RandomCases.seed(ManifestRoundTripTest.class);
        Random random = new Random(seed);
        for (int i = 0; i < RandomCases.count(DOCUMENTS, DOCUMENTS * 20); i++) {
            ObjectNode json = JsonNodeFactory.instance.objectNode();
            json.set("data", node(random, 4));
            assertSame(json);
        }
    }

    private static JsonNode node(Random random, int depth) {
        JsonNodeFactory make = JsonNodeFactory.instance;
        switch (random.nextInt(depth == 0 ? 5 : 8)) {
            case 0:
                return make.numberNode(new BigDecimal(new BigInteger(80, random), random.nextInt(41) - 20));
            case 1:
                return make.booleanNode(random.nextBoolean());
            case 2:
                return make.nullNode();
            case 5:
                ArrayNode list = make.arrayNode();
                for (int i = random.nextInt(4); i > 0; i--) {
                    list.add(node(random, depth - 1));
                }
                return list;
            case 6, 7:
                ObjectNode object = make.objectNode();
                for (int i = random.nextInt(4); i > 0; i--) {
                    object.set(text(random), node(random, depth - 1));
                }
                return object;
            default:
                return make.textNode(text(random));
        }
    }

    private static String text(Random random) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(5); i > 0; i--) {
            int kind = random.nextInt(6);
            if (kind == 0) {
                int point = random.nextInt(0x11000);
                text.appendCodePoint(point >= 0xd800 && point <= 0xdfff || point == 0 ? 'x' : point);
            } else if (kind == 1) {
                text.append("ab 1".repeat(random.nextInt(400)));
            } else {
                text.append(TEXTS.get(random.nextInt(TEXTS.size())));
            }
        }
        return text.toString();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a: &x 1\nb: *x\n",
                "tasks:\n  - <<: {a: 1}\n",
                "a: 1\na: 2\n",
                "a: [\n",
                "a: \"\\q\"\n",
                "\u0001: a\n"
            })
    void aliases_merge_keys_and_what_is_there_twice_are_refused(String text) {
        String message = assertThrows(
                        ManifestException.class, () -> ManifestReader.read(text, "x.yaml", new Manifest()))
                .getMessage();
        assertTrue(message.startsWith("x.yaml"), message);
    }

    @Test
    void a_bomb_of_aliases_and_endless_nesting_are_refused() {
        StringBuilder bomb = new StringBuilder("a0: &a0 [x, x]\n");
        for (int i = 1; i < 30; i++) {
            bomb.append("a%d: &a%d [*a%d, *a%d]\n".formatted(i, i, i - 1, i - 1));
        }
        for (String text :
                List.of(bomb.toString(), "a: " + "[".repeat(100_000), "[".repeat(100_000), "- ".repeat(50_000))) {
            assertThrows(ManifestException.class, () -> ManifestReader.read(text, "x.yaml", new Manifest()));
        }
    }

    private static ObjectNode task(JsonNode data) {
        ObjectNode document = JsonNodeFactory.instance.objectNode();
        ObjectNode task = document.putArray("tasks").addObject().put("app", "a").put("name", "n");
        task.set("data", data);
        return document;
    }

    private static JsonNode read(String yaml) throws ManifestException {
        Manifest manifest = new Manifest();
        ManifestReader.read(yaml, "x.yaml", manifest);
        return manifest.of(ManifestKind.TASK).get(0).json().get("data");
    }

    private static void assertSame(JsonNode data) throws ManifestException {
        String yaml = Yaml.text(task(data));
        JsonNode read = read(yaml);
        assertEquals(List.of(), MemberDifference.between(data, read), () -> "from\n" + shortened(yaml));
        assertEquals(data.size(), read.size());
    }

    private static String shortened(String yaml) {
        return yaml.length() > 2_000 ? yaml.substring(0, 2_000) : yaml;
    }
}
