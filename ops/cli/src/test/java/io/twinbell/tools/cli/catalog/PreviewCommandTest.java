package io.twinbell.tools.cli.catalog;

import static io.twinbell.tools.cli.TypedCommand.assertExit;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.tools.cli.StubNode;
import io.twinbell.tools.cli.TypedCommand;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PreviewCommandTest {
    /** Nothing listens there: no program may. */
    private static final String NOBODY = "http://127.0.0.1:1";

    @AutoClose
    private final StubNode node = StubNode.start("a", "STANDBY", 3);

    @BeforeEach
    void startNode() throws Exception {
        node.tellPreview("""
                {"fireTimes":["2026-03-28T01:30:00.000Z","2026-03-29T01:00:00.000Z","2026-03-30T00:30:00.000Z"],
                 "marks":{"2026-03-29T01:00:00.000Z":"SHIFTED"},"description":"at 02:30, Europe/Berlin"}""");
    }

    @Test
    void the_table_shows_both_clocks_the_distance_and_the_mark() {
        TypedCommand preview = preview("0 30 2 * * ?", "--zone", "Europe/Berlin", "--from", "2026-03-28", "-n", "3");

        assertExit(0, preview);
        assertEquals("""
                at 02:30, Europe/Berlin

                #  Europe/Berlin                   UTC                       APART    MARK
                1  Sat 2026-03-28 02:30:00 +01:00  Sat 2026-03-28 01:30:00Z
                2  Sun 2026-03-29 03:00:00 +02:00  Sun 2026-03-29 01:00:00Z  23h 30m  SHIFTED
                3  Mon 2026-03-30 02:30:00 +02:00  Mon 2026-03-30 00:30:00Z  23h 30m
                """, preview.out());
        assertEquals("", preview.err());
    }

    @Test
    void in_utc_the_table_has_one_clock_and_milliseconds_where_there_are_some() {
        node.tellPreview("""
                {"fireTimes":["2026-03-28T01:30:00.000Z","2026-03-29T01:30:00.010Z"],"marks":{},"description":"x"}""");
        assertEquals("""
                x

                #  UTC                           APART
                1  Sat 2026-03-28 01:30:00.000Z
                2  Sun 2026-03-29 01:30:00.010Z  1d 10ms
                """, preview("--every", "P1DT0.01S").out());
    }

    @Test
    void as_json_it_is_the_nodes_answer() {
        TypedCommand preview = preview("@daily", "-o", "json");
        assertTrue(preview.out().startsWith("{\"fireTimes\":[\"2026-03-28T01:30:00.000Z\","), preview.out());
    }

    /** Each line: what is typed, with ~ for a space in quotes, and the question that reaches the node. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "@every~5m                     | {'schedule':{'cron':'@every 5m'},'count':10}",
                "@daily --zone Asia/Tokyo -n 3 | {'schedule':{'cron':'@daily','zone':'Asia/Tokyo'},'count':3}",
                "--every 90s --fixed-delay     | {'schedule':{'every':'90s','mode':'FIXED_DELAY'},'count':10}",
                "--schedule {\"every\":\"15m\",\"align\":\"1h\"} | {'schedule':{'every':'15m','align':'1h'},'count':10}",
                "--schedule {\"rrule\":\"FREQ=WEEKLY\",\"exdate\":[\"2026-01-12\"]} --zone Asia/Tokyo | {'schedule':"
                        + "{'rrule':'FREQ=WEEKLY','exdate':['2026-01-12'],'zone':'Asia/Tokyo'},'count':10}",
                "--schedule {\"cron\":\"@daily\",\"zone\":\"Europe/Berlin\"} --from 2026-03-28 | {'schedule':"
                        + "{'cron':'@daily','zone':'Europe/Berlin'},'from':'2026-03-27T23:00:00Z','count':10}",
                "--in PT48H --start 2026-01-01 | {'schedule':{'in':'PT48H'},'start':'2026-01-01T00:00:00Z','count':10}",
                "--at 2026-03-29T02:30 --zone Europe/Berlin | {'schedule':{'at':'2026-03-29T01:30:00Z'},'count':10}",
                "@daily --zone Europe/Berlin --from 2026-03-28 | {'schedule':{'cron':'@daily','zone':'Europe/Berlin'},"
                        + "'from':'2026-03-27T23:00:00Z','count':10}",
                "TZ=Europe/Berlin~@daily --from 2026-03-28T01:00 | {'schedule':{'cron':'TZ=Europe/Berlin @daily'},"
                        + "'from':'2026-03-28T00:00:00Z','count':10}",
                "@daily --from 2026-03-28T01:00:00+05:30 --end 2026-04-01T00:00:00.001Z | {'schedule':{'cron':'@daily'},"
                        + "'from':'2026-03-27T19:30:00Z','end':'2026-04-01T00:00:00.001Z','count':10}",
                "@daily --backward             | {'schedule':{'cron':'@daily'},'count':10,'direction':'BACKWARD'}",
                "@daily --task a/b/c           | {'schedule':{'cron':'@daily'},'count':10,'app':'a','name':'b/c'}",
                "TZ=Nowhere~@daily --from 2026-03-28 | {'schedule':{'cron':'TZ=Nowhere @daily'},"
                        + "'from':'2026-03-28T00:00:00Z','count':10}",
            })
    void typed_options_become_a_query(String typed, String question) {
        TypedCommand preview = preview(
                Stream.of(typed.split(" ")).map(word -> word.replace('~', ' ')).toArray(String[]::new));

        assertExit(0, preview);
        assertEquals(
                "POST /api/v1/schedules/preview " + question.replace('\'', '"'),
                node.requests().get(0));
    }

    @Test
    void a_schedule_on_standard_input_gives_the_fire_times_and_their_zone() {
        InputStream before = System.in;
        System.setIn(new ByteArrayInputStream(
                "{\"cron\":\"@daily\",\"zone\":\"Asia/Tokyo\"}".getBytes(StandardCharsets.UTF_8)));
        try {
            TypedCommand preview = preview("--schedule", "@-");
            assertExit(0, preview);
            assertTrue(preview.out().contains("+09:00"), preview.out());
        } finally {
            System.setIn(before);
        }
    }

    @Test
    void a_refusal_points_at_the_character() {
        node.refuse("""
                {"title":"Invalid request","errors":[{"pointer":"/schedule/cron",
                 "detail":"hour field, position 5: \\"25\\" is not allowed; allowed are 0 to 23"}]}""");

        TypedCommand preview = preview("0\t0 25 * * ?");

        assertExit(1, preview);
        assertEquals("", preview.out());
        assertEquals("""
                0 0 25 * * ?
                    ^
                hour field, position 5: "25" is not allowed; allowed are 0 to 23
                """, preview.err());
    }

    @Test
    void a_refusal_of_two_fields_points_at_both() {
        node.refuse("""
                {"errors":[{"pointer":"/schedule/cron","detail":"fields, positions 7 and 11: one of them must be ?"}]}""");
        assertEquals("""
                0 0 0 1 * MON
                      ^   ^
                fields, positions 7 and 11: one of them must be ?
                """, preview("0 0 0 1 * MON").err());
    }

    @Test
    void a_refusal_without_a_character_names_the_member() {
        node.refuse("{\"errors\":[{\"pointer\":\"/count\",\"detail\":\"must be a whole number from 1 to 1000\"}]}");
        assertEquals(
                "count: must be a whole number from 1 to 1000\n",
                preview("@daily", "-n", "0").err());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--zone UTC            | Give one schedule: a cron expression, --every,",
                "@daily --every 5s     | Give one schedule: a cron expression, --every,",
                "@daily --zone Nowhere --from 2026-03-28 | --zone takes a zone such as Europe/Berlin",
                "--schedule 5          | --schedule takes a JSON object, not 5",
                "@daily --from noon    | --from takes a date (2026-03-28), a date and time",
                "@daily --task billing | --task takes APP/NAME",
                "@every 5m             | Unmatched argument at index 2: '5m'",
                "@daily -n many        | Invalid value for option '--count'",
            })
    void a_mistyped_command_is_explained_in_a_sentence(String typed, String sentence) {
        TypedCommand preview = preview(typed.split(" "));

        assertExit(2, preview);
        assertTrue(preview.err().contains(sentence), preview.err());
        assertEquals(2, preview.err().lines().count(), preview.err());
        assertEquals(0, node.requests().size());
    }

    @Test
    void the_first_node_that_answers_is_asked() {
        assertExit(0, TypedCommand.twinbell("preview", "@daily", "--url", NOBODY, "--url", node.url()));
        assertExit(3, TypedCommand.twinbell("preview", "@daily", "--url", NOBODY));
    }

    private TypedCommand preview(String... arguments) {
        String[] all = new String[arguments.length + 3];
        all[0] = "preview";
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        all[all.length - 2] = "--url";
        all[all.length - 1] = node.url();
        return TypedCommand.twinbell(all);
    }
}
