package io.twinbell.node.api.cluster;

import io.twinbell.node.access.Principal;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Removes from the metrics text what a principal that is bound to apps may not see: the series of other apps, and totals,
 * from which it could compute how much other apps do.
 */
final class VisibleMetrics {
    /** Series of the pair's state. A new metric that is not listed here is hidden. */
    private static final Pattern OF_THE_PAIR = Pattern.compile("twinbell_(build_info|leader|epoch"
            + "|leader_transition_seconds|leader_transitions_total|heartbeat_age_seconds|standby_present|failover_ready"
            + "|database_reached|database_lock_held|zookeeper_\\w+|fast_takeover_armed|takeover_\\w+|clock_offset_seconds"
            + "|firing_paused|firing_stalled)[{ ].*");

    private static final Pattern APP = Pattern.compile("[{,]app=\"((?:[^\"\\\\]|\\\\.)*)\"");

    private VisibleMetrics() {}

    static String of(Principal principal, String metrics) {
        return principal.isBound()
                ? metrics.lines().filter(line -> isShown(principal, line)).collect(Collectors.joining("\n", "", "\n"))
                : metrics;
    }

    private static boolean isShown(Principal principal, String line) {
        Matcher app = APP.matcher(line);
        return line.startsWith("#")
                || (app.find()
                        ? principal.sees(unescaped(app.group(1)))
                        : OF_THE_PAIR.matcher(line).matches());
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
