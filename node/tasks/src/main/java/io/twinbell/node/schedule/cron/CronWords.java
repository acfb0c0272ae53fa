package io.twinbell.node.schedule.cron;

import com.cronutils.descriptor.CronDescriptor;
import com.cronutils.model.CronType;
import com.cronutils.model.definition.CronDefinitionBuilder;
import com.cronutils.parser.CronParser;
import java.util.Locale;

/**
 * Describes a cron expression in words. It passes the normalized meaning to cron-utils and not the typed text (see
 * {@link CronNotation}), because cron-utils describes wrapping ranges, hashes and open steps wrongly or not at all.
 * Expressions that cron-utils cannot describe are given in the notation itself: two restricted day fields, a day field
 * with several kinds of entries, and years after 2099.
 */
public final class CronWords {
    private static final CronParser PARSER =
            new CronParser(CronDefinitionBuilder.instanceDefinitionFor(CronType.QUARTZ));

    private CronWords() {}

    public static String of(CronExpression expression) {
        String years = CronNotation.of(expression.years());
        return ofEveryYear(expression) + (years.equals("*") ? "" : ", in " + years);
    }

    private static String ofEveryYear(CronExpression expression) {
        boolean byMonth = expression.dayOfMonth().restricted();
        boolean byWeek = expression.dayOfWeek().restricted();
        String month = CronNotation.of(expression.dayOfMonth());
        String week = CronNotation.of(expression.dayOfWeek());
        if (byMonth && byWeek) {
            String both = expression.dialect() == Dialect.UNIX ? " or also " : " if that is also ";
            return describe(expression, "*", "?") + ", on day-of-month " + month + both + "day-of-week " + week;
        }
        if (byMonth && expression.dayOfMonth().isMixed()) {
            return describe(expression, "*", "?") + ", on day-of-month " + month;
        }
        if (byWeek && expression.dayOfWeek().isMixed()) {
            return describe(expression, "*", "?") + ", on day-of-week " + week;
        }
        return describe(expression, byWeek ? "?" : month, byWeek ? week : "?");
    }

    private static String describe(CronExpression expression, String dayOfMonth, String dayOfWeek) {
        String meaning = CronNotation.of(expression, dayOfMonth, dayOfWeek);
        try {
            return inAscii(CronDescriptor.instance(Locale.UK).describe(PARSER.parse(meaning)))
                    + forgottenSecond(meaning);
        } catch (RuntimeException e) {
            // cron-utils throws many types of exceptions, and a missing description must not fail the schedule.
            return "when " + meaning + " (second minute hour day-of-month month day-of-week) matches";
        }
    }

    /** cron-utils writes times with the digits of the machine's locale. */
    private static String inAscii(String words) {
        StringBuilder ascii = new StringBuilder();
        words.chars()
                .forEach(c -> ascii.append(Character.isDigit(c) ? (char) ('0' + Character.digit(c, 10)) : (char) c));
        return ascii.toString();
    }

    /** cron-utils describes {@code 7 *\/5 * * * ?} in the same words as {@code 0 *\/5 * * * ?}. */
    private static String forgottenSecond(String meaning) {
        String[] fields = meaning.split(" ", 3);
        boolean isForgotten = fields[1].startsWith("*/") && fields[0].matches("[1-9]\\d?");
        return isForgotten ? " at second " + fields[0] : "";
    }
}
