package io.twinbell.node.template;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One SQL statement with named parameters such as {@code :slot} or {@code :data.id}. Values are bound, never inserted
 * into the text. Similar text in strings, comments, quoted names, dollar quotes and casts is not a parameter.
 *
 * @param text as written
 * @param jdbc the text with a question mark for each parameter
 * @param parameters their names, in the order of the question marks
 */
public record SqlTemplate(String text, String jdbc, List<String> parameters) {
    private static final Set<String> VERBS = Set.of(
            "select", "insert", "update", "delete", "merge", "with", "values", "call", "notify", "truncate", "refresh");
    private static final Set<String> NOT_THEIRS = Set.of("twinbell", "set_config");
    private static final Pattern PARAMETER = Pattern.compile(":([A-Za-z][A-Za-z0-9_]*(?:\\.[A-Za-z0-9_]+)*+)");
    private static final Pattern WORD = Pattern.compile("[A-Za-z_\\x80-\\uffff][A-Za-z0-9_$\\x80-\\uffff]*");
    private static final Pattern DOLLAR = Pattern.compile("\\$(?:[A-Za-z_][A-Za-z0-9_]*)?\\$");

    /** @throws TemplateException naming the error */
    public static SqlTemplate parse(String text) {
        return new Lexer(text).parse();
    }

    /** Scans the text once. */
    private static final class Lexer {
        private final String text;
        private final StringBuilder jdbc = new StringBuilder();
        private final List<String> parameters = new ArrayList<>();
        private int at;
        private String verb;
        private boolean isEnded;

        Lexer(String text) {
            this.text = text;
        }

        SqlTemplate parse() {
            while (at < text.length()) {
                step();
            }
            if (verb == null) {
                throw new TemplateException("must be an SQL statement");
            }
            return new SqlTemplate(text, jdbc.toString(), List.copyOf(parameters));
        }

        private void step() {
            char next = text.charAt(at);
            if (text.startsWith("--", at)) {
                skip(endOf("\n", at));
            } else if (text.startsWith("/*", at)) {
                comment();
            } else if (Character.isWhitespace(next)) {
                copy(1);
            } else if (isEnded) {
                throw new TemplateException("must be one statement: use a list for several statements");
            } else if (next == '\'' || next == '"') {
                quoted(next, false);
            } else if (next == '$') {
                dollar();
            } else if (next == ':') {
                colon();
            } else if (next == '?') {
                jdbc.append("??");
                at++;
            } else if (next == ';') {
                isEnded = true;
                at++;
            } else {
                wordOrSign();
            }
        }

        private void wordOrSign() {
            Matcher word = WORD.matcher(text).region(at, text.length());
            if (word.lookingAt()) {
                word(word.group());
            } else if (Character.isDigit(text.charAt(at))) {
                int end = at;
                while (end < text.length() && Character.isLetterOrDigit(text.charAt(end))) {
                    end++;
                }
                skip(end);
            } else {
                copy(1);
            }
        }

        private void word(String word) {
            String lowerCase = word.toLowerCase(Locale.ROOT);
            if (verb == null) {
                verb = lowerCase;
                if (!VERBS.contains(verb)) {
                    throw new TemplateException(
                            "must begin with one of " + VERBS.stream().sorted().toList());
                }
            }
            refuse(lowerCase);
            int end = at + word.length();
            skip(end);
            boolean isPrefix = end < text.length() && text.charAt(end) == '\'';
            if (isPrefix && lowerCase.equals("e")) {
                quoted('\'', true);
            } else if (lowerCase.equals("u") && text.startsWith("&", end)) {
                throw new TemplateException("must not contain U& escapes");
            }
        }

        private static void refuse(String name) {
            if (NOT_THEIRS.contains(name)) {
                throw new TemplateException("must not name \"" + name + "\", which belongs to Twinbell");
            }
        }

        private void quoted(char quote, boolean hasEscapes) {
            int end = at + 1;
            while (end < text.length()) {
                if (hasEscapes && text.charAt(end) == '\\') {
                    end += 2;
                } else if (text.charAt(end) != quote) {
                    end++;
                } else if (end + 1 < text.length() && text.charAt(end + 1) == quote) {
                    end += 2;
                } else {
                    if (quote == '"') {
                        refuse(text.substring(at + 1, end));
                    }
                    skip(end + 1);
                    return;
                }
            }
            throw new TemplateException("has a quote that is not closed");
        }

        private void comment() {
            int depth = 0;
            int end = at;
            do {
                if (text.startsWith("/*", end)) {
                    depth++;
                    end += 2;
                } else if (text.startsWith("*/", end)) {
                    depth--;
                    end += 2;
                } else {
                    end++;
                }
            } while (depth > 0 && end < text.length());
            if (depth > 0) {
                throw new TemplateException("has a comment that is not closed");
            }
            skip(end);
        }

        private void dollar() {
            Matcher tag = DOLLAR.matcher(text).region(at, text.length());
            if (!tag.lookingAt()) {
                throw new TemplateException("must use named parameters such as :slot or :data.id, not \"$\"");
            }
            int close = text.indexOf(tag.group(), tag.end());
            if (close < 0) {
                throw new TemplateException("has a dollar quote that is not closed");
            }
            skip(close + tag.group().length());
        }

        private void colon() {
            Matcher parameter = PARAMETER.matcher(text).region(at, text.length());
            if (text.startsWith("::", at)) {
                copy(2);
            } else if (parameter.lookingAt()) {
                parameters.add(parameter.group(1));
                jdbc.append('?');
                at = parameter.end();
            } else {
                copy(1);
            }
        }

        private int endOf(String mark, int from) {
            int found = text.indexOf(mark, from);
            return found < 0 ? text.length() : found + mark.length();
        }

        private void copy(int length) {
            skip(at + length);
        }

        private void skip(int end) {
            jdbc.append(text, at, Math.min(end, text.length()));
            at = end;
        }
    }
}
