package io.twinbell.node.schedule.cron;

import io.twinbell.node.engine.task.ScheduleException;
import java.util.ArrayList;
import java.util.List;

/** Detects the dialect of a cron expression, and refuses it if two dialects would give different results. */
public final class CronReader {
    private CronReader() {}

    /** @param dialect the requested dialect, or null */
    public static CronExpression read(CronText text, Dialect dialect, IdentityHash hash) {
        if (text.isMacro()) {
            return CronExpression.read(text.unfolded().words(), Dialect.UNIX, hash);
        }
        int fields = text.words().size();
        List<Dialect> candidates = dialect == null ? Dialect.thatTake(fields) : List.of(dialect);
        if (candidates.isEmpty() || !candidates.get(0).acceptsFieldCount(fields)) {
            throw wrongCount(fields, candidates);
        }
        if (candidates.size() == 1) {
            return CronExpression.read(text.words(), candidates.get(0), hash);
        }
        return agreed(text, candidates, hash);
    }

    private static CronExpression agreed(CronText text, List<Dialect> candidates, IdentityHash hash) {
        List<CronExpression> readings = new ArrayList<>();
        List<String> refusals = new ArrayList<>();
        for (Dialect candidate : candidates) {
            try {
                readings.add(CronExpression.read(text.words(), candidate, hash));
            } catch (ScheduleException e) {
                refusals.add("in " + candidate + ": " + e.getMessage());
            }
        }
        if (readings.isEmpty()) {
            throw refused(sameInAll(refusals) ? plain(refusals.get(0)) : String.join("; ", refusals));
        }
        CronExpression first = readings.get(0);
        if (!readings.stream().skip(1).allMatch(first::isEquivalentTo)) {
            throw ambiguous(readings);
        }
        return first;
    }

    private static ScheduleException ambiguous(List<CronExpression> readings) {
        List<String> meanings = new ArrayList<>();
        for (CronExpression reading : readings) {
            meanings.add("in " + reading.dialect() + " \"" + CronWords.of(reading) + "\"");
        }
        return refused("the expression means different things, " + String.join(", ", meanings)
                + ": name the dialect, or list weekdays by their names and write one of the day fields as ?");
    }

    private static ScheduleException wrongCount(int fields, List<Dialect> named) {
        List<Dialect> wanted = named.isEmpty() ? List.of(Dialect.values()) : named;
        List<String> shapes = wanted.stream().map(Dialect::shape).toList();
        return refused(
                "the expression has " + fields + (fields == 1 ? " field; " : " fields; ") + String.join("; ", shapes));
    }

    private static boolean sameInAll(List<String> refusals) {
        return refusals.stream().map(CronReader::plain).distinct().count() == 1;
    }

    private static String plain(String refusal) {
        return refusal.substring(refusal.indexOf(": ") + 2);
    }

    private static ScheduleException refused(String why) {
        return new ScheduleException("/cron", why);
    }
}
