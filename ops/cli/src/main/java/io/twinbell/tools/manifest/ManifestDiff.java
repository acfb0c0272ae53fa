package io.twinbell.tools.manifest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.tools.manifest.ManifestChange.ChangeKind;
import java.time.Instant;
import java.util.List;

/**
 * Decides the change that makes one object match a manifest. It compares the pair's object with the manifest's,
 * completed by the API with every default.
 */
public final class ManifestDiff {
    private static final List<String> OF_TASKS_ALONE = List.of("start", "enabled");

    private final Instant now;
    private final boolean withPast;

    /**
     * @param now the current time, to recognise past fire times
     * @param withPast whether to create tasks whose only fire time has passed; they run at once
     */
    public ManifestDiff(Instant now, boolean withPast) {
        this.now = now;
        this.withPast = withPast;
    }

    /**
     * Decides for one object.
     *
     * @param entry the object in the file
     * @param desired the object as the API would store it, with every default
     * @param actual the object as the pair has it; null if it has none
     * @param nextFireTime the first fire time if it were created now; null if there is none
     */
    public ManifestChange decide(Manifest.Entry entry, ObjectNode desired, ObjectNode actual, String nextFireTime) {
        ObjectNode wanted = entry.json().deepCopy();
        JsonNode guard = wanted.remove("version");
        long version = actual == null ? 0 : actual.path("version").asLong();
        if (guard != null && guard.asLong() != version) {
            return refused(
                    entry,
                    actual == null
                            ? "the file expects version " + guard + ", but the pair does not have it"
                            : "the file expects version " + guard + ", but the pair has " + version + ": it was changed"
                                    + " meanwhile");
        }
        if (actual == null) {
            return isOver(wanted, nextFireTime)
                    ? new ManifestChange(
                            entry.kind(),
                            entry.key(),
                            ChangeKind.PASS_OVER,
                            List.of(),
                            wanted,
                            0,
                            "its fire time " + nextFireTime + " has passed: if created now, it would run at once")
                    : new ManifestChange(entry.kind(), entry.key(), ChangeKind.CREATE, List.of(), wanted, 0, null);
        }
        List<MemberDifference> differences = MemberDifference.between(
                comparable(actual, wanted, entry.kind()), comparable(desired, wanted, entry.kind()));
        ChangeKind changeKind = differences.isEmpty() ? ChangeKind.KEEP : ChangeKind.UPDATE;
        return new ManifestChange(entry.kind(), entry.key(), changeKind, differences, wanted, version, null);
    }

    /** An object that the API refuses, or whose state differs from what the file assumes. */
    public static ManifestChange refused(Manifest.Entry entry, String why) {
        return new ManifestChange(entry.kind(), entry.key(), ChangeKind.REFUSE, List.of(), entry.json(), 0, why);
    }

    /** The removal of an object that no file declares. */
    public static ManifestChange removal(ManifestKind kind, ObjectNode actual) {
        return new ManifestChange(
                kind,
                kind.key(actual),
                ChangeKind.REMOVE,
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

    /**
     * Drops members that only answers have, and members that the file leaves to the pair, such as a task's start and
     * whether it is paused.
     */
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
