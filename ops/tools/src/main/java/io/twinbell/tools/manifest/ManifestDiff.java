package io.twinbell.tools.manifest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.tools.manifest.ManifestChange.Verb;
import java.time.Instant;
import java.util.List;

/** Decides what it takes to make one thing as a file has it. It compares what the API made of the file with what it has. */
public final class ManifestDiff {
    private static final List<String> OF_TASKS_ALONE = List.of("start", "enabled");

    private final Instant now;
    private final boolean withPast;

    /**
     * @param now what has passed by it is over
     * @param withPast whether tasks that fire once are made although their time is over: they run at once
     */
    public ManifestDiff(Instant now, boolean withPast) {
        this.now = now;
        this.withPast = withPast;
    }

    /**
     * One thing.
     *
     * @param entry as the file has it
     * @param foreseen as the API would store it, with every default
     * @param actual as the pair has it; null if it has none
     * @param nextFireTime the first one if it were created now; null if there is none
     */
    public ManifestChange decide(Manifest.Entry entry, ObjectNode foreseen, ObjectNode actual, String nextFireTime) {
        ObjectNode wanted = entry.json().deepCopy();
        JsonNode guard = wanted.remove("version");
        long version = actual == null ? 0 : actual.path("version").asLong();
        if (guard != null && guard.asLong() != version) {
            return refused(
                    entry,
                    actual == null
                            ? "the file is about version " + guard + ", and there is none"
                            : "the file is about version " + guard + ", and the pair has " + version
                                    + ": somebody has changed it");
        }
        if (actual == null) {
            return isOver(wanted, nextFireTime)
                    ? new ManifestChange(
                            entry.kind(),
                            entry.key(),
                            Verb.PASS_OVER,
                            List.of(),
                            wanted,
                            0,
                            "its time, " + nextFireTime + ", is over: made now it would run at once")
                    : new ManifestChange(entry.kind(), entry.key(), Verb.CREATE, List.of(), wanted, 0, null);
        }
        List<MemberDifference> differences = MemberDifference.between(
                comparable(actual, wanted, entry.kind()), comparable(foreseen, wanted, entry.kind()));
        Verb verb = differences.isEmpty() ? Verb.KEEP : Verb.UPDATE;
        return new ManifestChange(entry.kind(), entry.key(), verb, differences, wanted, version, null);
    }

    /** One that the API will not take, or that is not as the file thinks. */
    public static ManifestChange refused(Manifest.Entry entry, String why) {
        return new ManifestChange(entry.kind(), entry.key(), Verb.REFUSE, List.of(), entry.json(), 0, why);
    }

    /** One that no file has. */
    public static ManifestChange removal(ManifestKind kind, ObjectNode actual) {
        return new ManifestChange(
                kind,
                kind.key(actual),
                Verb.REMOVE,
                List.of(),
                actual,
                actual.path("version").asLong(),
                null);
    }

    private boolean isOver(ObjectNode wanted, String nextFireTime) {
        JsonNode schedule = wanted.path("schedule");
        boolean firesOnce = schedule.has("at") || schedule.has("in");
        return !withPast
                && firesOnce
                && nextFireTime != null
                && Instant.parse(nextFireTime).isBefore(now);
    }

    /** Without what only answers say, and without what the file leaves to the pair: where a task began, whether it is paused. */
    private static ObjectNode comparable(ObjectNode thing, ObjectNode wanted, ManifestKind kind) {
        ObjectNode compared = thing.deepCopy();
        compared.remove(DefaultsStripper.ONLY_IN_ANSWERS);
        if (kind == ManifestKind.TASK) {
            for (String member : OF_TASKS_ALONE) {
                if (!wanted.hasNonNull(member)) {
                    compared.remove(member);
                }
            }
            if (wanted.hasNonNull("enabled") && !compared.has("enabled")) {
                compared.set("enabled", wanted.get("enabled"));
            }
        }
        return compared;
    }
}
