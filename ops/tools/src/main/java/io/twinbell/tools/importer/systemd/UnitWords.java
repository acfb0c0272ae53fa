package io.twinbell.tools.importer.systemd;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The words of a setting, with the quotes and escapes of systemd.syntax(7). */
final class UnitWords {
    private static final Map<Character, Character> ESCAPES = Map.ofEntries(
            Map.entry('a', '\u0007'),
            Map.entry('b', '\b'),
            Map.entry('f', '\f'),
            Map.entry('n', '\n'),
            Map.entry('r', '\r'),
            Map.entry('t', '\t'),
            Map.entry('v', '\u000b'),
            Map.entry('s', ' '),
            Map.entry('\\', '\\'),
            Map.entry('"', '"'),
            Map.entry('\'', '\''));

    private final String text;
    private final StringBuilder word = new StringBuilder();
    private int at;

    private UnitWords(String text) {
        this.text = text;
    }

    /**
     * One list for each command; a semicolon that is a word of its own separates them.
     *
     * @throws IllegalArgumentException if a quote is not closed; the message shows the text
     */
    static List<List<String>> commands(String text) {
        UnitWords words = new UnitWords(text);
        List<List<String>> commands = new ArrayList<>();
        List<String> command = new ArrayList<>();
        while (words.skipBlanks()) {
            int start = words.at;
            String word = words.next();
            String raw = text.substring(start, words.at);
            if (raw.equals(";")) {
                commands.add(command);
                command = new ArrayList<>();
            } else {
                command.add(raw.equals("\\;") ? ";" : word);
            }
        }
        commands.add(command);
        commands.removeIf(List::isEmpty);
        return commands;
    }

    /** @throws IllegalArgumentException if a quote is not closed; the message shows the text */
    static List<String> of(String text) {
        UnitWords words = new UnitWords(text);
        List<String> all = new ArrayList<>();
        while (words.skipBlanks()) {
            all.add(words.next());
        }
        return all;
    }

    private boolean skipBlanks() {
        while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
            at++;
        }
        return at < text.length();
    }

    private String next() {
        word.setLength(0);
        char quote = 0;
        for (; at < text.length(); at++) {
            char one = text.charAt(at);
            if (one == '\\' && at + 1 < text.length()) {
                escape();
            } else if (quote != 0 && one == quote) {
                quote = 0;
            } else if (quote == 0 && (one == '"' || one == '\'')) {
                quote = one;
            } else if (quote == 0 && Character.isWhitespace(one)) {
                return word.toString();
            } else {
                word.append(one);
            }
        }
        if (quote != 0) {
            throw new IllegalArgumentException("has a quote that is not closed: " + text);
        }
        return word.toString();
    }

    /** An unknown escape stays as it is. */
    private void escape() {
        at++;
        char kind = text.charAt(at);
        Character simple = ESCAPES.get(kind);
        int digits = kind == 'x' ? 2 : kind == 'u' ? 4 : kind == 'U' ? 8 : 0;
        if (simple != null) {
            word.append(simple.charValue());
        } else if (digits > 0) {
            coded(at + 1, digits, 16);
        } else if (kind >= '0' && kind <= '7') {
            coded(at, 3, 8);
        } else {
            word.append('\\').append(kind);
        }
    }

    private void coded(int from, int digits, int radix) {
        int end = from + digits;
        try {
            int code = Integer.parseInt(text.substring(from, Math.min(end, text.length())), radix);
            // Such numbers are bytes, several of which may be one character.
            boolean isByte = digits < 4;
            if (end <= text.length() && code > 0 && (!isByte || code < 0x80)) {
                word.appendCodePoint(code);
                at = end - 1;
                return;
            }
        } catch (IllegalArgumentException e) {
            // No number, or no character.
        }
        throw new IllegalArgumentException("has an escape that is not understood: " + text);
    }
}
