package io.twinbell.node.schedule.cron;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CronWordsTest {
    private static final List<String> NUMBERS = List.of("*", "*/5", "7", "3,9", "8-17", "3,9-12,20", "5-21/4");
    private static final List<String> DAYS =
            List.of("*", "*/5", "7", "3,9", "8-17", "3,9-12,20", "L", "LW", "15W", "L-3", "1,L", "5,15W");
    private static final List<String> WEEKDAYS =
            List.of("*", "MON", "MON,WED", "MON-FRI", "FRI-MON", "FRI#2", "FRIL", "FRIL,MON");
    private static final List<String> MONTHS = List.of("*", "3", "3,9", "4-6", "*/2", "2-11/3");

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            30 2 * * *            | at 02:30
            */10 * * * *          | every 10 minutes
            * * * * * *           | every second
            7 */10 * * * *        | every 10 minutes at second 7
            @hourly               | every hour
            0 9 * * MON-FRI       | at 09:00 every day between Monday and Friday
            0 0 0 LW * ?          | at 00:00 last weekday of month
            0 0 0 ? * 2L 2030     | at 00:00 last Monday of every month, in 2030
            0 0 0 1 1 ? */2       | at 00:00 at 1 day at January month, in 1970-2198/2
            0 0 0 ? * L 2027-2030,2150 | at 00:00 at Saturday day, in 2027-2030,2150
            0 0 0 1 1 ? 2027,2031 | at 00:00 at 1 day at January month, in 2027,2031
            0 0 0 L-3W * ?        | at 00:00, on day-of-month L-3W
            0 5/8 * * *           | at 5, 13 and 21 hours
            0 0 1 * MON           | at 00:00, on day-of-month 1 or also day-of-week MON
            0 0 0 1,L * ?         | at 00:00, on day-of-month 1,L
            0 0 0 ? * FRI#2,FRIL  | at 00:00, on day-of-week FRI#2,FRIL
            """)
    void an_expression_is_put_into_words(String expression, String words) {
        assertEquals(words, words(expression, null));
    }

    @Test
    void the_words_are_the_same_in_every_locale() {
        Locale before = Locale.getDefault();
        try {
            Locale.setDefault(new Locale("fa", "IR"));
            assertEquals("at 02:30", words("30 2 * * *", null));
        } finally {
            Locale.setDefault(before);
        }
    }

    @Test
    void different_meanings_have_different_words() {
        List<String> expressions = new ArrayList<>();
        for (String second : NUMBERS) {
            for (String minute : NUMBERS) {
                NUMBERS.forEach(hour -> expressions.add(String.join(" ", second, minute, hour, "* * *")));
            }
        }
        for (String day : DAYS) {
            for (String month : MONTHS) {
                WEEKDAYS.forEach(weekday -> expressions.add(String.join(" ", "0 0 9", day, month, weekday)));
                WEEKDAYS.forEach(weekday -> expressions.add(String.join(" ", "0 */5 *", day, month, weekday)));
            }
        }
        Map<String, String> byWords = new HashMap<>();
        for (String expression : expressions) {
            String words = words(expression, Dialect.UNIX);
            assertTrue(!words.isBlank() && !words.startsWith("when "), expression + ": " + words);
            assertNull(byWords.put(words, expression), () -> expression + " has the words of another: " + words);
        }
    }

    private static String words(String expression, Dialect dialect) {
        return CronWords.of(CronReader.read(CronText.of(expression), dialect, new IdentityHash("app/name")));
    }
}
