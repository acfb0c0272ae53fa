package io.twinbell.node.schedule;

import static io.twinbell.node.schedule.ScheduleFixtures.cron;
import static io.twinbell.node.schedule.ScheduleFixtures.fires;
import static io.twinbell.node.schedule.ScheduleFixtures.schedule;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.engine.task.ScheduleException;
import io.twinbell.persistence.testing.RandomCases;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CronRefusalTest {
    /** Each line: dialect, expression, and what the message must say: field, position, allowed values. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            QUARTZ | 0 0 25 * * ?        | hour field, position 5: "25" is not allowed; allowed are 0 to 23
            UNIX   | 60 * * * *          | minute field, position 1: "60" is not allowed; allowed are 0 to 59
            UNIX   | 0 0 0 * *           | day-of-month field, position 5: "0" is not allowed; allowed are 1 to 31
            UNIX   | 0 0 1 13 *          | month field, position 7: "13" is not allowed; allowed are 1 to 12, JAN to DEC
            UNIX   | 0 0 * * 8           | day-of-week field, position 9: "8" is not allowed; allowed are 0 to 7
            QUARTZ | 0 0 0 ? * 0         | day-of-week field, position 11: "0" is not allowed; allowed are 1 to 7 (1 is Sunday)
            UNIX   | 0 0 * FOO *         | month field, position 7: "FOO" is not allowed
            UNIX   | 0 0 * * MONDAY      | position 12: "DAY" is not expected here
            UNIX   | */0 * * * *         | minute field, position 3: "0" is not allowed as a step, use 1 to 59
            UNIX   | */ * * * *          | minute field, position 3: a number is missing as a step, use 1 to 59
            UNIX   | 0 */24 * * *        | hour field, position 5: "24" is not allowed as a step, use 1 to 23
            UNIX   | 1,,2 * * * *        | minute field, position 3: an empty entry is not allowed
            UNIX   | 1, * * * *          | minute field, position 3: an empty entry is not allowed
            UNIX   | 5-- * * * *         | minute field, position 3: "-" is not allowed
            UNIX   | 5x * * * *          | minute field, position 2: "x" is not expected here
            UNIX   | ? * * * *           | minute field, position 1: "?" is not allowed
            UNIX   | 0 L * * *           | hour field, position 3: "L" is not allowed
            UNIX   | 0 0 ?,5 * *         | day-of-month field, position 5: "?,5" is not allowed
            UNIX   | 0 0 L-31 * *        | "31" is not allowed as days before the last day, use 0 to 30
            UNIX   | 0 0 * * FRI#6       | "6" is not allowed as an occurrence in the month, use 1 to 5
            UNIX   | H(9-5) * * * *      | H takes a range that does not wrap
            QUARTZ | 0 0 0 1 1 ? 2200    | year field, position 13: "2200" is not allowed; allowed are 1970 to 2199
            QUARTZ | 0 0 0 1 1 ? 2030-2020 | year field, position 22: the years from 2030 to 2020 run backwards
            QUARTZ | 0 /120 8-18 ? * 2-6 | minute field, position 4: "120" is not allowed as a step, use 1 to 59
            QUARTZ | 0 / 8-18 ? * 2-6    | minute field, position 4: a number is missing as a step
            UNIX   | /5 * * * *          | minute field, position 1: "/5" is not allowed
            QUARTZ | 0 0 0 1 * MON       | in the QUARTZ dialect exactly one of them must be ?
            QUARTZ | 0 0 0 ? * ?         | in the QUARTZ dialect exactly one of them must be ?
            QUARTZ | 0 0 * * *           | the expression has 5 fields; QUARTZ takes 6 or 7 fields
            SPRING | 0 0 0 * * * 2030    | the expression has 7 fields; SPRING takes 6 fields
            UNIX   | @reboot             | allowed alone are @yearly
            UNIX   | @daily 5            | allowed alone are @yearly
            UNIX   | @every              | @every takes one duration
            UNIX   | @every 5 minutes    | @every takes one duration
            UNIX   | TZ=UTC              | the expression is empty
            """)
    void a_message_names_field_position_and_allowed_values(String dialect, String expression, String message) {
        ScheduleException e =
                assertThrows(ScheduleException.class, () -> schedule("cron", expression, "dialect", dialect));
        assertTrue(e.getMessage().contains(message), e.getMessage());
        assertEquals("/cron", e.pointer());
    }

    @Test
    void numeric_weekdays_without_a_dialect_are_refused_with_what_each_dialect_would_mean() {
        String message = refusal("0 0 9 ? * 2-6");
        assertTrue(message.contains("in UNIX \"at 09:00 every day between Tuesday and Saturday\""), message);
        assertTrue(message.contains("in QUARTZ \"at 09:00 every day between Monday and Friday\""), message);
        assertTrue(message.contains("in SPRING \"at 09:00 every day between Tuesday and Saturday\""), message);
    }

    @Test
    void two_day_fields_without_a_dialect_are_refused_where_six_fields_leave_it_open() {
        String message = refusal("0 0 9 1 * MON");
        assertTrue(message.contains("day-of-month 1 or also day-of-week MON"), message);
        assertTrue(message.contains("day-of-month 1 if that is also day-of-week MON"), message);
    }

    @Test
    void an_error_common_to_every_dialect_is_reported_once() {
        assertTrue(refusal("0 0 25 * * ?").startsWith("hour field, position 5"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0 0 0 30 2 ?",
                "0 0 31 4,6,9,11 *",
                "0 0 0 1 1 ? 1999",
                "0 0 31W 2 *",
                "0 0 0 31 2 ? 2030",
                "0 0 0 L-30 4 ?"
            })
    void an_expression_that_never_matches_is_refused(String expression) {
        ScheduleException e = assertThrows(
                ScheduleException.class,
                () -> schedule(Window.from(ScheduleFixtures.at("2026-01-01T00:00:00Z")), "cron", expression));
        assertTrue(e.getMessage().startsWith("the schedule never fires between its start, 2026-01-01"), e.getMessage());
    }

    @Test
    void an_expression_that_does_not_match_before_the_end_is_refused() {
        Window week =
                new Window(ScheduleFixtures.at("2026-01-02T00:00:00Z"), ScheduleFixtures.at("2026-01-09T00:00:00Z"));
        assertThrows(ScheduleException.class, () -> schedule(week, "cron", "0 0 1 * *"));
        assertEquals(
                1,
                fires(schedule(week, "cron", "0 0 9 * *"), "2026-01-01T00:00:00Z", 5)
                        .size());
    }

    @Test
    void a_list_is_bounded() {
        assertEquals(
                1,
                fires(cron("0,".repeat(99) + "0 0 * * *"), "2026-01-01T00:00:00Z", 1)
                        .size());
        assertTrue(refusal("0,".repeat(400) + "0 0 * * *")
                .startsWith("minute field, position 201: a list has at most 100 entries"));
    }

    @Test
    void hostile_expressions_are_answered_in_milliseconds() {
        List<String> hostile = List.of(
                "*".repeat(10_000),
                "* ".repeat(5_000),
                "0,".repeat(400) + "0 * * * *",
                String.join(" ", Collections.nCopies(6, "0" + ",1-59/1".repeat(20))),
                "((((((((((".repeat(40),
                "*/*/*/*/* * * * *",
                "1-2-3 * * * *",
                "99999999999999999999 * * * *",
                "\u0661 * * * *",
                "\u00e9\u0000\u202e * * * *",
                "H(H(H)) * * * *",
                "@every " + "1h".repeat(400),
                "@every 99999999999999999999999h",
                "TZ=" + "A".repeat(900) + " * * * * *",
                "CRON_TZ=../../etc/passwd * * * * *",
                "",
                " ");
        ProcessorTime.assertBelow(Duration.ofMillis(1000), () -> {
            for (String expression : hostile) {
                assertTrue(accepted(expression).length() < 2_000, expression);
            }
        });
    }

    @Test
    void random_letters_are_read_or_refused_but_never_throw_anything_else() {
        long seed = RandomCases.seed(CronRefusalTest.class);
        Random random = new Random(seed);
        String letters = "0123456789*/-,?LW#H() MONFRIJAN@";
        for (int i = 0; i < RandomCases.count(20_000, 400_000); i++) {
            StringBuilder text = new StringBuilder();
            for (int field = 0; field < 5 + random.nextInt(3); field++) {
                for (int j = 0; j <= random.nextInt(3); j++) {
                    text.append(letters.charAt(random.nextInt(letters.length())));
                }
                text.append(' ');
            }
            String answer = accepted(text.toString());
            assertTrue(answer.length() < 3_000, () -> text + ", seed " + seed);
        }
    }

    @Test
    void a_message_shows_no_control_characters_and_no_more_than_a_piece_of_the_input() {
        String message = refusal("\u001b[31m" + "x".repeat(300) + " * * * *");
        assertTrue(message.chars().allMatch(c -> c >= ' '), message);
        assertTrue(message.length() < 300, message);
    }

    private static String accepted(String expression) {
        try {
            return cron(expression).description();
        } catch (ScheduleException e) {
            return e.getMessage();
        }
    }

    private static String refusal(String expression) {
        return assertThrows(ScheduleException.class, () -> cron(expression)).getMessage();
    }
}
