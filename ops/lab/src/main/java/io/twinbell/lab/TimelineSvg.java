package io.twinbell.lab;

import io.twinbell.lab.stage.DrillEvent;
import io.twinbell.lab.stage.DrilledPair;
import io.twinbell.lab.stage.RoleAssignment;
import io.twinbell.tools.check.history.ReceivedCall;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Draws one round as SVG: each node's role, the calls that arrived, and when the fault struck. */
final class TimelineSvg {
    private static final long BIN_MICROS = 100_000;
    private static final int LEFT = 60;
    private static final int WIDTH = 1000;
    private static final int LANE = 22;
    private static final int CALLS_TOP = 90;
    private static final int CALLS_HEIGHT = 110;
    private static final int HEIGHT = 240;
    private static final String LOST = "LOST";
    private static final Map<String, String> COLOURS = Map.of(
            LOST,
            "#f4d9d5",
            "MASTER",
            "#2a7f4f",
            "STANDBY",
            "#9bb7d4",
            "PROMOTING",
            "#e0b000",
            "DEMOTING",
            "#d98324",
            "STOPPED",
            "#dddddd");

    private final StringBuilder svg = new StringBuilder();
    private final RoleAssignment roles;
    private final long faultMicros;
    private final List<DrillEvent> marks;
    private final long[] arrivals;
    private final long fromMicros;
    private final long untilMicros;

    private TimelineSvg(RoleAssignment roles, long faultMicros, List<DrillEvent> marks, List<ReceivedCall> calls) {
        this.roles = roles;
        this.marks = marks;
        this.faultMicros = faultMicros;
        arrivals =
                calls.stream().mapToLong(ReceivedCall::arrivedMicros).sorted().toArray();
        fromMicros = Math.min(faultMicros, arrivals.length == 0 ? faultMicros : arrivals[0]);
        untilMicros =
                Math.max(faultMicros, arrivals.length == 0 ? faultMicros : arrivals[arrivals.length - 1]) + BIN_MICROS;
    }

    /** @param changes role changes, oldest first */
    static String of(
            RoleAssignment roles, List<DrillEvent> marks, List<RoleHistoryEntry> changes, List<ReceivedCall> calls) {
        long faultMicros = marks.stream()
                .filter(DrillEvent::strikes)
                .mapToLong(DrillEvent::atMicros)
                .min()
                .orElseThrow();
        TimelineSvg picture = new TimelineSvg(roles, faultMicros, marks, calls);
        picture.draw(changes);
        return picture.svg.toString();
    }

    private void draw(List<RoleHistoryEntry> changes) {
        element(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\""
                        + " font-size=\"12\">",
                LEFT + WIDTH + 20, HEIGHT);
        element("<title>Roles and calls around a fault</title>");
        lane(DrilledPair.NODES.get(0), 20, changes);
        lane(DrilledPair.NODES.get(1), 20 + LANE + 8, changes);
        calls();
        axis();
        marks.forEach(this::mark);
        element("</svg>");
    }

    /** Marks an action of the drill, red if it broke something; a tooltip describes it. */
    private void mark(DrillEvent event) {
        double x = x(Math.max(fromMicros, Math.min(untilMicros, event.atMicros())));
        element(
                "<line x1=\"%.1f\" y1=\"8\" x2=\"%.1f\" y2=\"%d\" stroke=\"%s\" stroke-width=\"2\">"
                        + "<title>%s</title></line>",
                x, x, CALLS_TOP + CALLS_HEIGHT, event.strikes() ? "#c0392b" : "#2a7f4f", escaped(event.what()));
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }

    /** Draws a node's roles. Before its first change a node has its role from the beginning of the round. */
    private void lane(String node, int top, List<RoleHistoryEntry> changes) {
        element("<text x=\"4\" y=\"%d\">node %s</text>", top + 15, node);
        String role = node.equals(roles.master()) ? "MASTER" : "STANDBY";
        long since = fromMicros;
        for (RoleHistoryEntry change : changes) {
            long at = Math.max(fromMicros, Math.min(untilMicros, change.atMillis() * 1000));
            if (change.node().equals(node)) {
                bar(role, since, at, top);
                role = change.to();
                since = at;
            } else if (role.equals("MASTER") && change.is("MASTER")) {
                // The node was replaced without recording a change, so it was lost from the fault on.
                bar(role, since, faultMicros, top);
                role = LOST;
                since = Math.max(since, faultMicros);
            }
        }
        bar(role, since, untilMicros, top);
    }

    private void bar(String role, long since, long until, int top) {
        if (until > since) {
            element(
                    "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"><title>%s</title></rect>",
                    x(since), top, x(until) - x(since), LANE, COLOURS.getOrDefault(role, "#ffffff"), role);
        }
    }

    private void calls() {
        Map<Long, Integer> bins = new HashMap<>();
        for (long arrived : arrivals) {
            bins.merge((arrived - fromMicros) / BIN_MICROS, 1, Integer::sum);
        }
        int most = bins.values().stream().mapToInt(count -> count).max().orElse(1);
        element("<text x=\"4\" y=\"%d\">calls</text>", CALLS_TOP + 15);
        element("<text x=\"4\" y=\"%d\">max %d</text>", CALLS_TOP + 32, most);
        List<Long> filled = new ArrayList<>(bins.keySet());
        filled.sort(null);
        for (long bin : filled) {
            double height = (double) CALLS_HEIGHT * bins.get(bin) / most;
            element(
                    "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\" fill=\"#34495e\"/>",
                    x(fromMicros + bin * BIN_MICROS),
                    CALLS_TOP + CALLS_HEIGHT - height,
                    Math.max(0.5, x(fromMicros + BIN_MICROS) - x(fromMicros) - 0.3),
                    height);
        }
    }

    /** Draws the axis, in seconds from the fault. */
    private void axis() {
        int bottom = CALLS_TOP + CALLS_HEIGHT;
        long step = Math.max(1, (untilMicros - fromMicros) / 1_000_000 / 20);
        long first = Math.floorDiv(fromMicros - faultMicros, 1_000_000 * step) + 1;
        for (long tick = first; faultMicros + tick * step * 1_000_000 <= untilMicros; tick++) {
            double x = x(faultMicros + tick * step * 1_000_000);
            element("<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"#888\"/>", x, bottom, x, bottom + 5);
            element("<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%d s</text>", x, bottom + 19, tick * step);
        }
    }

    private double x(long micros) {
        return LEFT + (double) WIDTH * (micros - fromMicros) / (untilMicros - fromMicros);
    }

    private void element(String format, Object... values) {
        svg.append(String.format(Locale.ROOT, format, values)).append('\n');
    }
}
