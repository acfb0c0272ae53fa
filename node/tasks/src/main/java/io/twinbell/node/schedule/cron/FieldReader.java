package io.twinbell.node.schedule.cron;

import io.twinbell.node.engine.task.ScheduleException;
import io.twinbell.node.schedule.text.SafeQuote;
import java.util.BitSet;
import java.util.Locale;

/**
 * Reads one field of a cron expression from left to right. It reads what all fields share: numbers, names, ranges,
 * steps and {@code H}. The day fields read their own letters in between.
 */
final class FieldReader {
    private static final int MAX_DIGITS = 4;
    private static final int SHORTEST_MONTH = 28;
    /** More than any field has values. */
    private static final int MAX_ENTRIES = 100;

    private final FieldRange range;
    private final CronText.Word word;
    private final IdentityHash hash;
    private int at;
    private int commas;

    FieldReader(FieldRange range, CronText.Word word, IdentityHash hash) {
        this.range = range;
        this.word = word;
        this.hash = hash;
    }

    /** Reads a whole field of numbers and names. */
    BitSet readAll() {
        BitSet values = new BitSet();
        do {
            readItem(values);
        } while (acceptComma());
        return values;
    }

    /** Whether the field consists of only this character. */
    boolean isOnly(char c) {
        return word.text().length() == 1 && Character.toUpperCase(word.text().charAt(0)) == c;
    }

    boolean startsWithStar() {
        return word.text().charAt(0) == '*';
    }

    boolean nextIs(char c) {
        return at < word.text().length() && Character.toUpperCase(word.text().charAt(at)) == c;
    }

    /** Skips this letter, in either case, or sign, if it is next. */
    boolean accept(char c) {
        boolean found = nextIs(c);
        at += found ? 1 : 0;
        return found;
    }

    /** Skips the comma between items of a list; anything else after an item is an error. */
    boolean acceptComma() {
        if (at == word.text().length()) {
            return false;
        }
        if (!accept(',')) {
            throw refused(at, SafeQuote.of(word.text().substring(at)) + " is not expected here");
        }
        if (++commas == MAX_ENTRIES) {
            throw refused(at, "a list has at most " + MAX_ENTRIES + " entries");
        }
        return true;
    }

    /** Reads one item of a list: {@code *}, {@code H}, a value or a range, each optionally with a step. */
    void readItem(BitSet into) {
        if (accept('*')) {
            fill(into, range.first(), range.last(), step());
        } else if (accept('H')) {
            readHash(into);
        } else {
            readFrom(value(), into);
        }
    }

    /** Reads the rest of an item whose first value has been read. */
    void readFrom(int from, BitSet into) {
        if (accept('-')) {
            int to = value();
            fill(into, from, to, step());
        } else {
            boolean open = nextIs('/');
            fill(into, from, open ? Math.max(from, range.last()) : from, step());
        }
    }

    /** Reads a number or name of this field's range. */
    int value() {
        int start = at;
        if (nextIsDigit()) {
            return number("", range.least(), range.greatest());
        }
        while (at < word.text().length() && isLetter(word.text().charAt(at)) && at - start < 3) {
            at++;
        }
        String name = word.text().substring(start, at).toUpperCase(Locale.ROOT);
        int index = range.names().indexOf(name);
        if (index < 0) {
            boolean empty = start == word.text().length() || word.text().charAt(start) == ',';
            String shown = empty ? "an empty entry" : SafeQuote.of(word.text().substring(start));
            throw refused(start, shown + " is not allowed");
        }
        return range.firstName() + index;
    }

    boolean nextIsDigit() {
        return at < word.text().length()
                && word.text().charAt(at) >= '0'
                && word.text().charAt(at) <= '9';
    }

    /** @param what the meaning of the number, for the message; empty for a value of the range */
    int number(String what, int least, int greatest) {
        int start = at;
        int number = 0;
        while (nextIsDigit() && at - start <= MAX_DIGITS) {
            number = number * 10 + word.text().charAt(at++) - '0';
        }
        if (at == start || number < least || number > greatest) {
            String shown = at == start
                    ? "a number is missing"
                    : SafeQuote.of(word.text().substring(start, at)) + " is not allowed";
            String bounds = what.isEmpty() ? "" : " as " + what + ", use " + least + " to " + greatest;
            throw refused(start, shown + bounds);
        }
        return number;
    }

    private int step() {
        return accept('/') ? number("a step", 1, Math.min(range.greatest(), range.size())) : 1;
    }

    private void fill(BitSet into, int from, int to, int step) {
        if (from <= to) {
            for (int value = from; value <= to; value += step) {
                into.set(value);
            }
            return;
        }
        if (range == FieldRange.YEAR) {
            throw refused(at, "the years from " + from + " to " + to + " run backwards");
        }
        int value = from;
        for (; value <= range.last(); value += step) {
            into.set(value);
        }
        for (value -= range.size(); value <= to; value += step) {
            into.set(value);
        }
    }

    private void readHash(BitSet into) {
        // Starts at the least number and not at the first, so that all dialects select the same weekday and refuse the
        // same ranges.
        int first = range.least();
        int last = range == FieldRange.DAY_OF_MONTH ? SHORTEST_MONTH : first + range.size() - 1;
        if (accept('(')) {
            int start = at;
            first = value();
            last = accept('-') ? value() : first;
            if (!accept(')') || first > last) {
                throw refused(start, "H takes a range that does not wrap, as in H(0-29)");
            }
        }
        if (accept('/')) {
            int step = number("a step", 1, Math.max(1, last - first));
            fill(into, first + hash.below(step, range), last, step);
        } else {
            into.set(first + hash.below(last - first + 1, range));
        }
    }

    private static boolean isLetter(char c) {
        return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z';
    }

    private ScheduleException refused(int index, String why) {
        return new ScheduleException(
                "/cron",
                range.field() + " field, position " + (word.position() + index) + ": " + why + "; allowed are "
                        + range.allowed() + ", *, H, lists (a,b), ranges (a-b) and steps (a/n)");
    }
}
