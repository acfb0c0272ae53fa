package io.twinbell.node.calendar;

import io.twinbell.node.json.InvalidJsonException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;

/** The lines of an iCalendar file, whole and properly nested: the library that reads it would be lenient here. */
final class HolidayLines {
    private static final int MAX_EVENTS = 5_000;
    private static final int MAX_DEPTH = 10;

    private final String text;
    private final List<Integer> events = new ArrayList<>();

    private HolidayLines(String text) {
        this.text = text;
    }

    /** @throws InvalidJsonException if what begins does not end, or the other way round; the message names the line */
    static HolidayLines of(byte[] file) {
        HolidayLines lines = new HolidayLines(decoded(file));
        lines.check();
        return lines;
    }

    static InvalidJsonException refusal(int line, String detail) {
        return new InvalidJsonException("", "line " + line + ": " + detail);
    }

    String text() {
        return text;
    }

    /** Where the event begins, counted from 1. */
    int eventLine(int event) {
        return events.get(event);
    }

    private static String decoded(byte[] file) {
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(file))
                    .toString();
            if (text.indexOf('\0') >= 0) {
                throw new InvalidJsonException("", "the character U+0000 can't be stored");
            }
            return text.startsWith("\ufeff") ? text.substring(1) : text;
        } catch (CharacterCodingException e) {
            throw new InvalidJsonException("", "the file is not UTF-8");
        }
    }

    private void check() {
        Deque<String> open = new ArrayDeque<>();
        int number = 0;
        boolean isOver = false;
        for (String line : text.split("\r\n|\n|\r")) {
            number++;
            boolean isContinued = line.isEmpty() || line.startsWith(" ") || line.startsWith("\t");
            if (isContinued) {
                continue;
            }
            if (isOver) {
                throw refusal(number, "there is something after END:VCALENDAR");
            }
            checkLine(line.strip().toUpperCase(Locale.ROOT), number, open);
            isOver = open.isEmpty();
        }
        if (!isOver) {
            throw refusal(number, open.isEmpty() ? "there is no VCALENDAR here" : "END:" + open.peek() + " is missing");
        }
    }

    private void checkLine(String line, int number, Deque<String> open) {
        if (open.isEmpty() && !line.equals("BEGIN:VCALENDAR")) {
            throw refusal(number, "must be BEGIN:VCALENDAR");
        }
        if (line.indexOf(':') < 0) {
            throw refusal(number, "has no colon, so it is no property");
        }
        if (line.startsWith("BEGIN:")) {
            begin(line.substring("BEGIN:".length()), number, open);
        } else if (line.startsWith("END:") && !line.substring("END:".length()).equals(open.pop())) {
            throw refusal(number, line + " ends what has not begun");
        }
    }

    private void begin(String component, int number, Deque<String> open) {
        if (component.equals("VEVENT")) {
            events.add(number);
            if (!"VCALENDAR".equals(open.peek())) {
                throw refusal(number, "an event inside of something else");
            }
        }
        if (events.size() > MAX_EVENTS) {
            throw refusal(number, "more than " + MAX_EVENTS + " events");
        }
        if (open.size() == MAX_DEPTH) {
            throw refusal(number, "too deeply nested");
        }
        open.push(component);
    }
}
