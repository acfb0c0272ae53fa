package io.twinbell.tools.importer;

import java.util.List;

/**
 * Translates a crontab command, in which the first unescaped percent sign begins its standard input and the others are
 * line feeds.
 */
final class CrontabCommand {
    private CrontabCommand() {}

    /** The equivalent shell command. */
    static String of(String command, List<String> notes) {
        StringBuilder whole = new StringBuilder();
        for (int i = 0; i < command.length(); i++) {
            char one = command.charAt(i);
            boolean isEscaped = one == '\\' && i + 1 < command.length() && command.charAt(i + 1) == '%';
            if (isEscaped) {
                whole.append('%');
                i++;
            } else {
                whole.append(one == '%' ? '\n' : one);
            }
        }
        int input = whole.indexOf("\n");
        if (input < 0) {
            return whole.toString().strip();
        }
        notes.add("the text after % becomes its standard input, as a here-document");
        String text = whole.substring(input + 1);
        String end = "END_OF_INPUT";
        while (text.contains(end)) {
            end += "_";
        }
        return "{ " + whole.substring(0, input).strip() + "\n} <<'" + end + "'\n" + text + "\n" + end;
    }
}
