package io.twinbell.tools.terminal;

import java.util.Map;
import java.util.Optional;

/**
 * What a person sits at, if anybody does.
 *
 * @param isAsked whether standard input is a terminal, so that a question has somebody to answer it
 * @param showsOut whether standard output is one
 * @param showsErr whether standard error is one
 * @param columns how wide it is
 * @param hasColours whether what standard output gets may be coloured
 */
public record Terminal(boolean isAsked, boolean showsOut, boolean showsErr, int columns, boolean hasColours) {
    private static final int USUAL_COLUMNS = 80;

    /** Neither asks nor shows: a file, a pipe, a test. */
    public static final Terminal NONE = new Terminal(false, false, false, USUAL_COLUMNS, false);

    /**
     * That of this process. The scripts know which of its streams are terminals; Java alone knows only whether input and
     * output both are.
     */
    public static Terminal current() {
        String streams = System.getProperty("twinbell.tty", System.console() == null ? "" : "012");
        return of(streams, System.getProperty("twinbell.columns", ""), System.getenv());
    }

    /**
     * @param streams the numbers of the streams that are terminals, such as {@code 02}
     * @param columns a number; anything else counts as {@value #USUAL_COLUMNS}
     * @param environment where NO_COLOR (any value but an empty one) and TERM are looked up
     */
    static Terminal of(String streams, String columns, Map<String, String> environment) {
        boolean wantsNoColour = !environment.getOrDefault("NO_COLOR", "").isEmpty()
                || environment.getOrDefault("TERM", "").equals("dumb");
        int width = Optional.of(columns)
                .filter(text -> text.matches("[1-9]\\d{1,3}"))
                .map(Integer::parseInt)
                .orElse(USUAL_COLUMNS);
        return new Terminal(
                streams.contains("0"),
                streams.contains("1"),
                streams.contains("2"),
                width,
                streams.contains("1") && !wantsNoColour);
    }
}
