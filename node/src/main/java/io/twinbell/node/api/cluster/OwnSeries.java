package io.twinbell.node.api.cluster;

import io.twinbell.node.access.Principal;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Removes the series of apps that a principal may not see from the metrics text. */
final class OwnSeries {
    private static final Pattern APP = Pattern.compile("[{,]app=\"((?:[^\"\\\\]|\\\\.)*)\"");

    private OwnSeries() {}

    static String of(Principal principal, String metrics) {
        return principal.isBound()
                ? metrics.lines().filter(line -> isShown(principal, line)).collect(Collectors.joining("\n", "", "\n"))
                : metrics;
    }

    private static boolean isShown(Principal principal, String line) {
        Matcher app = APP.matcher(line);
        return line.startsWith("#") || !app.find() || principal.sees(unescaped(app.group(1)));
    }

    private static String unescaped(String label) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < label.length(); i++) {
            char c = label.charAt(i);
            if (c == '\\') {
                i++;
                text.append(label.charAt(i) == 'n' ? '\n' : label.charAt(i));
            } else {
                text.append(c);
            }
        }
        return text.toString();
    }
}
