package io.twinbell.node.schedule.cron;

import io.twinbell.node.engine.task.ScheduleException;
import io.twinbell.node.schedule.text.SafeQuote;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The text of a cron expression, split into words. Positions in messages count characters from 1.
 *
 * @param zone the zone in a {@code CRON_TZ=} or {@code TZ=} prefix, or null
 * @param words the fields, or one macro; never empty
 */
public record CronText(String zone, List<Word> words) {
    /**
     * Enough for every meaningful list: all seconds, minutes, hours and days written out take about 500 characters.
     */
    static final int MAX_LENGTH = 1000;

    private static final String POINTER = "/cron";
    private static final Map<String, String> MACROS = Map.of(
            "@yearly", "0 0 1 1 *",
            "@annually", "0 0 1 1 *",
            "@monthly", "0 0 1 * *",
            "@weekly", "0 0 * * 0",
            "@daily", "0 0 * * *",
            "@midnight", "0 0 * * *",
            "@hourly", "0 * * * *");

    /** A part without white space, and its position. */
    record Word(String text, int position) {}

    public static CronText of(String typed) {
        if (typed.length() > MAX_LENGTH) {
            throw refused("it has " + typed.length() + " characters, allowed are " + MAX_LENGTH);
        }
        List<Word> words = words(typed);
        String zone = null;
        if (!words.isEmpty() && prefixLength(words.get(0).text()) > 0) {
            Word prefix = words.remove(0);
            zone = prefix.text().substring(prefixLength(prefix.text()));
        }
        if (words.isEmpty()) {
            throw refused("the expression is empty");
        }
        return new CronText(zone, words);
    }

    boolean isMacro() {
        return words.get(0).text().startsWith("@");
    }

    /** Returns the duration after {@code @every}, or null if this is another expression. */
    public String every() {
        if (!words.get(0).text().equalsIgnoreCase("@every")) {
            return null;
        }
        if (words.size() != 2) {
            throw refused("@every takes one duration, as in @every 1h30m");
        }
        return words.get(1).text();
    }

    /** Returns the expression that a macro such as {@code @daily} stands for, in the UNIX dialect. */
    CronText unfolded() {
        Word macro = words.get(0);
        String meaning = MACROS.get(macro.text().toLowerCase(Locale.ROOT));
        if (meaning == null || words.size() > 1) {
            throw refused("position " + macro.position() + ": " + SafeQuote.of(macro.text())
                    + " is not allowed; allowed alone are @yearly, @annually, @monthly, @weekly, @daily, @midnight,"
                    + " @hourly, and @every with a duration");
        }
        return new CronText(zone, words(meaning));
    }

    private static int prefixLength(String word) {
        String upper = word.toUpperCase(Locale.ROOT);
        return upper.startsWith("CRON_TZ=") ? 8 : upper.startsWith("TZ=") ? 3 : 0;
    }

    private static List<Word> words(String typed) {
        List<Word> words = new ArrayList<>();
        int at = 0;
        while (at < typed.length()) {
            int end = at;
            while (end < typed.length() && !isSpace(typed.charAt(end))) {
                end++;
            }
            if (end > at) {
                words.add(new Word(typed.substring(at, end), at + 1));
            }
            at = end + 1;
        }
        return words;
    }

    private static boolean isSpace(char c) {
        return c == ' ' || c >= '\t' && c <= '\r';
    }

    private static ScheduleException refused(String why) {
        return new ScheduleException(POINTER, "the cron expression can't be read: " + why);
    }
}
