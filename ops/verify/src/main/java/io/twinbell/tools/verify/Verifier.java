package io.twinbell.tools.verify;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.tools.check.Checker;
import io.twinbell.tools.check.Rule;
import io.twinbell.tools.check.Violation;
import io.twinbell.tools.check.history.CheckMoment;
import io.twinbell.tools.check.history.CheckedSlot;
import io.twinbell.tools.check.history.EpochOpening;
import io.twinbell.tools.check.history.EpochOwnership;
import io.twinbell.tools.check.history.LedgerRow;
import io.twinbell.tools.client.NodeClient;
import io.twinbell.tools.client.NodeException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Verifies the ledger of a running pair against the slots that its tasks owed, one task after another, over HTTP. */
public final class Verifier {
    private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(3);
    private static final int LOOKS = 2;
    private static final long HOUR = Duration.ofHours(1).toMillis();
    private static final int MOST_REMARKS = 20;
    private static final int MOST_OLDER = 100_000;

    private final NodeClient node;
    private final Scope scope;
    private final ProgressListener progressListener;
    private final ViolationList violations;
    private final List<String> unverified = new ArrayList<>();
    /** A row of each task that has unfinished rows from before the span, until its rows are checked. */
    private final Map<Long, LedgerRow> older = new LinkedHashMap<>();

    private CheckContext checkContext;
    private long whole;
    private long partly;
    private long none;
    private long rows;
    private long slots;
    private long underWay;

    /**
     * What is verified.
     *
     * @param app null for all apps
     * @param since how far back the verification reaches
     * @param grace anything younger than this may not be recorded yet
     * @param most how many violations are kept for display
     */
    public record Scope(String app, Duration since, Duration grace, int most) {}

    /** Observes the progress, and waits between two looks. */
    public interface ProgressListener {
        /** @param part the finished part of the task's span, 0 to 1 */
        void at(long tasksDone, String task, double part);

        void sleep(Duration time);
    }

    /**
     * The moment of the verification and the state of the pair then.
     *
     * @param isPaused whether firing is paused for the cluster
     * @param limits the keys that any limit or standing pause is set on
     * @param tasksWithOlder the tasks with unfinished rows from before the span
     */
    record CheckContext(
            CheckMoment now,
            long sinceMillis,
            EpochOwnership ownership,
            boolean isPaused,
            Set<String> limits,
            Set<Long> tasksWithOlder) {}

    public Verifier(NodeClient node, Scope scope, ProgressListener progressListener) {
        this.node = node;
        this.scope = scope;
        this.progressListener = progressListener;
        violations = new ViolationList(scope.most());
    }

    public VerificationResult verify() throws NodeException {
        checkContext = checkContext();
        findOlder();
        checkStrays();
        RowPages tasks = new RowPages(node, "/api/v1/tasks?limit=1000" + ofApp());
        while (tasks.hasNext()) {
            verify(new PresentTask(tasks.next()));
        }
        older.values().forEach(this::reportOlder);
        return new VerificationResult(
                checkContext.sinceMillis(),
                checkContext.now().millis(),
                new VerificationResult.Figures(whole, partly, none, rows, slots, underWay),
                unverified,
                inDoubt(),
                violations.kept(),
                violations.counts());
    }

    private String ofApp() {
        return scope.app() == null ? "" : "&app=" + URLEncoder.encode(scope.app(), StandardCharsets.UTF_8);
    }

    private CheckContext checkContext() throws NodeException {
        long now = NodeAnswers.millis(node.get("/api/v1/cluster/epochs?since=" + Instant.EPOCH.plusSeconds(1)), "now")
                .orElseThrow();
        long since = Math.max(0, now - scope.since().toMillis());
        List<EpochOpening> openings = new ArrayList<>();
        JsonNode epochs = node.get("/api/v1/cluster/epochs?since=" + Instant.ofEpochMilli(since));
        for (JsonNode opening : epochs.path("items")) {
            openings.add(new EpochOpening(
                    opening.path("epoch").asLong(),
                    opening.path("node").asText(null),
                    NodeAnswers.millis(opening, "openedAt").orElseThrow()));
        }
        Checker.checkOpenings(openings).forEach(violations::add);
        boolean isPaused = node.get("/api/v1/cluster/self").path("paused").asBoolean();
        return new CheckContext(
                new CheckMoment(now, scope.grace().toMillis()),
                since,
                new EpochOwnership(openings, now),
                isPaused,
                limitKeys(),
                older.keySet());
    }

    private Set<String> limitKeys() throws NodeException {
        Set<String> keys = new HashSet<>();
        RowPages limits = new RowPages(node, "/api/v1/limits?limit=1000");
        while (limits.hasNext()) {
            keys.add(limits.next().path("key").asText());
        }
        node.get("/api/v1/pauses")
                .path("items")
                .forEach(pause -> keys.add(pause.path("key").asText()));
        return keys;
    }

    /**
     * Finds the tasks with unfinished rows from before the span; no other row from before it can still change. A row
     * may still be in progress: its handler may take longer than the span, or its callback may.
     */
    private void findOlder() throws NodeException {
        for (String states : TaskWalk.UNFINISHED) {
            RowPages old = new RowPages(
                    node,
                    "/api/v1/executions?brief=true&limit=1000&order=oldest&state=" + states + "&until="
                            + Instant.ofEpochMilli(checkContext.sinceMillis()) + ofApp());
            while (old.hasNext()) {
                LedgerRow row = NodeAnswers.row(old.next());
                if (older.size() < MOST_OLDER) {
                    older.putIfAbsent(row.slot().taskId(), row);
                } else if (!older.containsKey(row.slot().taskId())) {
                    reportOlder(row);
                }
            }
        }
    }

    private void reportOlder(LedgerRow row) {
        violations.add(
                new Violation(Rule.UNFINISHED, row.slot(), "it is still " + row.state() + ", from before the span"));
    }

    /**
     * Reports rows of tasks that never existed. It reads hour by hour, because the whole span may be too much for one
     * statement.
     */
    private void checkStrays() throws NodeException {
        for (long from = checkContext.sinceMillis(); from < checkContext.now().millis(); from += HOUR) {
            long until = Math.min(from + HOUR, checkContext.now().millis());
            JsonNode strays = node.get("/api/v1/cluster/strays?from=" + Instant.ofEpochMilli(from) + "&until="
                    + Instant.ofEpochMilli(until));
            for (JsonNode stray : strays.path("items")) {
                if (scope.app() == null || scope.app().equals(stray.path("app").asText())) {
                    violations.add(new Violation(
                            Rule.STRAY,
                            new CheckedSlot(
                                    stray.path("taskId").asLong(),
                                    NodeAnswers.millis(stray, "firstFireTime").orElse(from)),
                            stray.path("executions").asText() + " rows under the name "
                                    + stray.path("app").asText() + "/"
                                    + stray.path("name").asText()));
                }
            }
        }
    }

    /**
     * Verifies a task. It reads a second time if a row may not have been recorded yet, as with slots skipped by an
     * edit, or if the missing explanation may lie further back.
     */
    private void verify(PresentTask task) throws NodeException {
        PresentTask present = task;
        TaskWalk walk = walk(present, false);
        for (int looks = 1; looks < LOOKS && walk != null && walk.mayResolveItself(); looks++) {
            boolean lacksAnother = walk.violations().has(Rule.SKIPPED_UNEXPLAINED);
            progressListener.sleep(BETWEEN_LOOKS);
            present = node.find("/api/v1/tasks/" + task.id())
                    .map(PresentTask::new)
                    .orElse(null);
            walk = present == null ? null : walk(present, lacksAnother);
        }
        if (walk != null) {
            older.remove(task.id());
            tally(walk, present);
        }
    }

    /**
     * Walks through a task's history.
     *
     * @param thoroughly whether all rows from before the span are read
     * @return null if the task was removed meanwhile, or has no definition to be checked against
     */
    private TaskWalk walk(PresentTask task, boolean thoroughly) throws NodeException {
        TaskWalk walk = new TaskWalk(node, task, checkContext, thoroughly, scope.most());
        try {
            boolean isThere = walk.run(part -> progressListener.at(whole + partly + none, task.name(), part));
            return isThere ? walk : null;
        } catch (NodeException.Refused e) {
            none++;
            remark(task.name() + ": " + e.getMessage());
            return null;
        }
    }

    private void tally(TaskWalk walk, PresentTask task) {
        violations.addAll(walk.violations());
        rows += walk.rows();
        slots += walk.slots();
        underWay += walk.underWay();
        if (walk.because() == null) {
            whole++;
        } else {
            partly++;
            remark(task.name() + ": only from " + Instant.ofEpochMilli(walk.fromMillis()) + " on, since "
                    + walk.because());
        }
        if (walk.unjudged() != null) {
            remark(task.name() + ": " + walk.unjudged());
        }
    }

    /** Lists the slots in doubt. They are not violations, because their outcome cannot be known. */
    private VerificationResult.InDoubt inDoubt() throws NodeException {
        RowPages found = new RowPages(
                node,
                "/api/v1/executions?inDoubt=true&brief=true&limit=1000&order=oldest&from="
                        + Instant.ofEpochMilli(checkContext.sinceMillis()) + ofApp());
        long count = 0;
        List<String> named = new ArrayList<>();
        while (found.hasNext()) {
            JsonNode row = found.next();
            count += row.path("slots").asLong(1);
            if (named.size() < scope.most()) {
                named.add(named(row));
            }
        }
        return new VerificationResult.InDoubt(count, named);
    }

    private static String named(JsonNode row) {
        String until = row.hasNonNull("untilFireTime")
                ? " to " + row.path("untilFireTime").asText()
                : "";
        return row.path("id").asText() + " " + row.path("app").asText() + "/"
                + row.path("name").asText() + " " + row.path("fireTime").asText() + until + " "
                + row.path("state").asText();
    }

    private void remark(String remark) {
        if (unverified.size() < MOST_REMARKS) {
            unverified.add(remark);
        } else if (unverified.size() == MOST_REMARKS) {
            unverified.add("and more");
        }
    }
}
