package io.twinbell.tools.importer;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The components of an iCalendar file (RFC 5545) with their properties, as far as an import needs them. */
final class IcsFile {
    private static final int MAX_LINES = 500_000;
    private static final int MAX_DEPTH = 10;
    private static final int MAX_PARAMETERS = 100;
    private static final int MAX_LINE = 1024 * 1024;

    private IcsFile() {}

    /**
     * One property.
     *
     * @param parameters by their names in upper case
     */
    record IcsProperty(String name, Map<String, String> parameters, String value) {
        /** The time zone that the property names; null if it names none. */
        String zone() {
            return parameters.get("TZID");
        }
    }

    /**
     * One component.
     *
     * @param line where it begins, counted from 1
     */
    record IcsComponent(String name, int line, List<IcsProperty> properties, List<IcsComponent> children) {
        /** The properties of this name. */
        List<IcsProperty> all(String property) {
            return properties.stream()
                    .filter(one -> one.name().equals(property))
                    .toList();
        }

        /** The value of the first property of this name; an empty text if there is none. */
        String text(String property) {
            List<IcsProperty> found = all(property);
            return found.isEmpty() ? "" : unescaped(found.get(0).value());
        }
    }

    /** @throws IllegalArgumentException if the text is not an iCalendar file */
    static List<IcsComponent> read(String text) {
        List<IcsComponent> calendars = new ArrayList<>();
        Deque<IcsComponent> open = new ArrayDeque<>();
        String[] lines = text.split("\\r?\\n|\\r", MAX_LINES + 1);
        if (lines.length > MAX_LINES) {
            throw new IllegalArgumentException("the file has more than " + MAX_LINES + " lines");
        }
        for (int i = 0; i < lines.length; i++) {
            int number = i + 1;
            StringBuilder line = new StringBuilder(lines[i]);
            while (i + 1 < lines.length && (lines[i + 1].startsWith(" ") || lines[i + 1].startsWith("\t"))) {
                line.append(lines[++i].substring(1));
                if (line.length() > MAX_LINE) {
                    throw new IllegalArgumentException(
                            "line " + number + " has more than " + MAX_LINE + " characters with its continuations");
                }
            }
            if (!line.toString().isBlank()) {
                add(property(line.toString(), number), number, open, calendars);
            }
        }
        if (!open.isEmpty() || calendars.isEmpty()) {
            throw new IllegalArgumentException(
                    calendars.isEmpty() && open.isEmpty()
                            ? "there is no VCALENDAR"
                            : "END:" + open.peek().name() + " is missing");
        }
        return calendars;
    }

    private static void add(IcsProperty read, int number, Deque<IcsComponent> open, List<IcsComponent> calendars) {
        String value = read.value().strip().toUpperCase(Locale.ROOT);
        switch (read.name()) {
            case "BEGIN" -> {
                IcsComponent begun = new IcsComponent(value, number, new ArrayList<>(), new ArrayList<>());
                if (open.isEmpty() != value.equals("VCALENDAR") || open.size() == MAX_DEPTH) {
                    throw new IllegalArgumentException("line " + number + ": " + value + " must not begin here");
                }
                if (open.isEmpty()) {
                    calendars.add(begun);
                } else {
                    open.peek().children().add(begun);
                }
                open.push(begun);
            }
            case "END" -> {
                if (open.isEmpty() || !open.pop().name().equals(value)) {
                    throw new IllegalArgumentException("line " + number + ": " + value + " must not end here");
                }
            }
            default -> {
                if (open.isEmpty()) {
                    throw new IllegalArgumentException(
                            "line " + number + ": " + read.name() + " is outside a VCALENDAR");
                }
                open.peek().properties().add(read);
            }
        }
    }

    private static IcsProperty property(String line, int number) {
        int at = endOf(line, 0);
        String name = line.substring(0, at).strip().toUpperCase(Locale.ROOT);
        Map<String, String> parameters = new HashMap<>();
        while (at < line.length() && line.charAt(at) == ';') {
            int next = endOf(line, at + 1);
            String[] parameter = line.substring(at + 1, next).split("=", 2);
            String parameterName = parameter[0].strip().toUpperCase(Locale.ROOT);
            String before = parameters.put(parameterName, parameter.length == 1 ? "" : parameter[1].replace("\"", ""));
            if (before != null || parameters.size() > MAX_PARAMETERS) {
                throw new IllegalArgumentException(
                        "line " + number + (before == null ? " has too many parameters" : " has two " + parameterName));
            }
            at = next;
        }
        if (at == line.length() || name.isEmpty()) {
            throw new IllegalArgumentException("line " + number + " is not NAME:value");
        }
        return new IcsProperty(name, Map.copyOf(parameters), line.substring(at + 1));
    }

    /** The position of the next ; or : outside quotes, or the end. */
    private static int endOf(String line, int from) {
        boolean isQuoted = false;
        for (int i = from; i < line.length(); i++) {
            char c = line.charAt(i);
            isQuoted ^= c == '"';
            if (!isQuoted && (c == ';' || c == ':')) {
                return i;
            }
        }
        return line.length();
    }

    private static String unescaped(String value) {
        return value.replaceAll("\\\\[nN]", " ").replaceAll("\\\\(.)", "$1").strip();
    }
}
