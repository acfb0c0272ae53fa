package io.twinbell.tools.terminal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.twinbell.persistence.testing.RandomCases;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.constructor.SafeConstructor;

class YamlTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final YAMLMapper YAML = new YAMLMapper();
    private static final String[] PIECES = {
        "a",
        "yes",
        "No",
        "~",
        "null",
        "12",
        "1e5",
        "0x1f",
        "1:30",
        "2026-03-29",
        "true",
        ": ",
        " #",
        "#",
        "- ",
        "? ",
        ":",
        "\n",
        "\n\n",
        " ",
        "  ",
        "\t",
        "\r",
        "'",
        "\"",
        "\\",
        "{",
        "]",
        "&x",
        "*x",
        "!t",
        "|",
        ">",
        "%",
        "@",
        "`",
        ",",
        "ä",
        "€",
        "\ud83d\ude00",
        "\u0000",
        "\u007f",
        "\u0085",
        "\u2028",
        "\ufeff",
        "\u202e",
        "\u200b",
        "http://x:1/y?z=1",
        "---",
        "...",
        "=",
        "<<",
        "x: y",
        "PT5S",
        "*/5 * * * *"
    };

    @Test
    void people_read_blocks_and_few_quotes() throws Exception {
        JsonNode document = JSON.readTree("""
                {"app":"billing","tags":["nightly","on"],"schedule":{"cron":"0 30 2 * * ?","every":"PT5S"},"empty":{},
                 "handler":{"url":"http://127.0.0.1:9/x?a=b","body":"one\\n two\\n"},"list":[{"a":1,"b":[true]},[1.5,null]],
                 "text":"a: b"}""");
        assertEquals("""
                app: billing
                tags:
                  - nightly
                  - "on"
                schedule:
                  cron: "0 30 2 * * ?"
                  every: PT5S
                empty: {}
                handler:
                  url: http://127.0.0.1:9/x?a=b
                  body: |
                    one
                     two
                list:
                  - a: 1
                    b:
                      - true
                  -
                    - 1.5
                    - null
                text: "a: b"
                """, Yaml.text(document));
    }

    @Test
    void whatever_is_written_is_read_again_by_readers_of_two_kinds() throws Exception {
        long seed = RandomCases.seed(YamlTest.class);
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < RandomCases.count(2000, 40_000); round++) {
            JsonNode document = node(random, 3);
            String text = Yaml.text(document);
            String told = "seed " + seed + ": " + document + "\n" + text;
            assertEquals(document, YAML.readTree(text), told);
            Object plain = new org.yaml.snakeyaml.Yaml(new SafeConstructor(new LoaderOptions())).load(text);
            assertEquals(document, JSON.valueToTree(plain), told);
        }
    }

    private static JsonNode node(SplittableRandom random, int depth) {
        int kind = random.nextInt(depth == 0 ? 4 : 6);
        JsonNodeFactory make = JsonNodeFactory.instance;
        switch (kind) {
            case 0:
                return make.numberNode(random.nextInt());
            case 1:
                return make.booleanNode(random.nextBoolean());
            case 4:
                ArrayNode list = make.arrayNode();
                random.ints(random.nextInt(4), 0, 9).forEach(i -> list.add(node(random, depth - 1)));
                return list;
            case 5:
                ObjectNode object = make.objectNode();
                random.ints(random.nextInt(4), 0, 9).forEach(i -> object.set(text(random), node(random, depth - 1)));
                return object;
            default:
                return make.textNode(text(random));
        }
    }

    private static String text(SplittableRandom random) {
        StringBuilder text = new StringBuilder();
        random.ints(random.nextInt(5), 0, PIECES.length).forEach(piece -> text.append(PIECES[piece]));
        return text.toString();
    }

    @Test
    void a_table_shows_no_control_characters_and_no_colours_where_there_are_none() {
        TextTable table = new TextTable(Terminal.NONE, "A", "STATE");
        table.row("x\033[31m\ny", "FAILED");
        table.row(null, "ACTIVE");
        assertEquals("A         STATE\nx [31m y  FAILED\n          ACTIVE\n", table.text());
        TextTable coloured = new TextTable(Terminal.of("1", "80", Map.of()), "STATE", "B");
        coloured.row("FAILED", "b");
        assertEquals("STATE   B\n\033[31mFAILED\033[0m  b\n", coloured.text());
    }
}
