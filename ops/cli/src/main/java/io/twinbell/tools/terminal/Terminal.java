package io.twinbell.tools.terminal;

import java.util.Map;
import java.util.Optional;

/**
 * The terminal of this process, if there is one.
 *
 * @param isAsked whether standard input is a terminal, so that a question can be answered
 * @param showsOut whether standard output is a terminal
 * @param columns the width
 * @param hasColours whether standard output may contain colours
 */
public record Terminal(boolean isAsked, boolean showsOut, int columns, boolean hasColours) {
    private static final int USUAL_COLUMNS = 80;

    /** No terminal: a file, a pipe or a test. */
    public static final Terminal NONE = new Terminal(false, false, USUAL_COLUMNS, false);

    /**
     * The current terminal. The scripts know which streams are terminals; Java knows only whether both input and output
     * are.
     */
    public static Terminal current() {
        String streams = System.getProperty("twinbell.tty", System.console() == null ? "" : "012");
        return of(streams, System.getProperty("twinbell.columns", ""), System.getenv());
    }

    /**
     * @param streams the numbers of the streams that are terminals, such as {@code 02}
     * @param columns a number; anything else counts as {@value #USUAL_COLUMNS}
     * @param environment contains NO_COLOR (any value except an empty one) and TERM
     */
    static Terminal of(String streams, String columns, Map<String, String> environment) {
        boolean wantsNoColour = !environment.getOrDefault("NO_COLOR", "").isEmpty()
                || environment.getOrDefault("TERM", "").equals("dumb");
        int width = Optional.of(columns)
                .filter(text -> text.matches("[1-9]\\d{1,3}"))
                .map(Integer::parseInt)
                .orElse(USUAL_COLUMNS);
        return new Terminal(
                streams.contains("0"), streams.contains("1"), width, streams.contains("1") && !wantsNoColour);
    }
}
