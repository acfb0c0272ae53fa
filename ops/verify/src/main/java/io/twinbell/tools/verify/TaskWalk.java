package io.twinbell.tools.verify;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.tools.check.Rule;
import io.twinbell.tools.check.TaskHistoryWalk;
import io.twinbell.tools.check.history.WalkedTask;
import io.twinbell.tools.client.NodeClient;
import io.twinbell.tools.client.NodeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.PrimitiveIterator;
import java.util.Set;
import java.util.function.DoubleConsumer;

/** Reads one task's slots and rows page by page and walks them against the rules. */
final class TaskWalk {
    private static final int PAGE = 10_000;
    /**
     * Rows read from before the span. The last planned row there may cover slots of the span, and manual runs may
     * follow it.
     */
    private static final int BEFORE = 200;

    /** The time within which a task's first plan is written: together with the task. */
    private static final long FIRST_PLAN_MILLIS = 1000;

    /**
     * Limit of rows read to find the run for which a slot was skipped, because reading all of a long ledger takes too
     * long.
     */
    private static final int MOST_LONG_BEFORE = 200_000;

    /** The states without an outcome, in the groups that one request can read. */
    static final List<String> UNFINISHED = List.of("PENDING", "CLAIMED,RUNNING,RETRYING");

    private static final Set<Rule> MAY_HEAL =
            EnumSet.of(Rule.LOST, Rule.UNFINISHED, Rule.CHAIN_BROKEN, Rule.SKIPPED_UNEXPLAINED);

    private final NodeClient node;
    private final PresentTask task;
    private final Verifier.CheckContext checkContext;
    private final boolean thoroughly;
    private final ViolationList violations;
    private TaskHistoryWalk walk;
    private JsonNode plan;
    private String unjudged;

    /** @param thoroughly whether all rows from before the span are read, for executions that reach into it */
    TaskWalk(
            NodeClient node, PresentTask task, Verifier.CheckContext checkContext, boolean thoroughly, int mostWounds) {
        this.node = node;
        this.task = task;
        this.checkContext = checkContext;
        this.thoroughly = thoroughly;
        violations = new ViolationList(mostWounds);
    }

    /**
     * Reads and checks the history.
     *
     * @return false if the task no longer exists
     */
    boolean run(DoubleConsumer progress) throws NodeException {
        String slotsPath = path("slots") + "&limit=" + PAGE;
        Optional<JsonNode> found = node.find(slotsPath);
        if (found.isEmpty()) {
            return false;
        }
        plan = found.get();
        Slots slots = new Slots(new RowPages(node, slotsPath, plan));
        try {
            walk = new TaskHistoryWalk(
                    walkedTask(), checkContext.now(), checkContext.ownership(), slots, violations::add);
            walkRows(progress);
        } catch (FailedRequest e) {
            throw e.cause;
        }
        return true;
    }

    private String path(String what) {
        return "/api/v1/tasks/" + task.id() + "/" + what + "?from=" + Instant.ofEpochMilli(checkContext.sinceMillis())
                + "&until=" + Instant.ofEpochMilli(checkContext.now().millis());
    }

    private void walkRows(DoubleConsumer progress) throws NodeException {
        boolean knowsAllBefore = !thoroughly || readOlder();
        if (checkContext.tasksWithOlder().contains(task.id())) {
            readUnfinished();
        }
        for (JsonNode row : rowsBefore()) {
            walk.before(NodeAnswers.row(row), isPlanned(row));
        }
        RowPages rows = new RowPages(node, path("executions") + "&order=oldest&" + shown() + "&limit=" + PAGE);
        long seen = 0;
        while (rows.hasNext()) {
            JsonNode row = rows.next();
            walk.row(NodeAnswers.row(row), isPlanned(row));
            if (++seen % 1000 == 0) {
                progress.accept(part(NodeAnswers.millis(row, "fireTime").orElse(0)));
            }
        }
        walk.end();
        if (!knowsAllBefore && violations.has(Rule.SKIPPED_UNEXPLAINED)) {
            violations.forget(Rule.SKIPPED_UNEXPLAINED);
            unjudged = "the history before the span is too long to check whether each skipped slot overlapped another"
                    + " run";
        }
        progress.accept(1);
    }

    /** Slots that a resume catches up were owed, in contrast to other requested runs. */
    private static boolean isPlanned(JsonNode row) {
        String origin = row.path("origin").asText("");
        return origin.isEmpty() || origin.equals("CAUGHT_UP");
    }

    /** Returns whether all older rows were read. */
    private boolean readOlder() throws NodeException {
        RowPages rows = new RowPages(
                node,
                "/api/v1/tasks/" + task.id() + "/executions?brief=true&limit=" + PAGE + "&until="
                        + Instant.ofEpochMilli(checkContext.sinceMillis()));
        for (int read = 0; read < MOST_LONG_BEFORE && rows.hasNext(); read++) {
            walk.addOlder(NodeAnswers.row(rows.next()));
        }
        return !rows.hasNext();
    }

    /** Reads the unfinished rows from before the span. */
    private void readUnfinished() throws NodeException {
        for (String states : UNFINISHED) {
            RowPages rows = new RowPages(
                    node,
                    "/api/v1/tasks/" + task.id() + "/executions?brief=true&limit=" + PAGE + "&order=oldest&state="
                            + states + "&until=" + Instant.ofEpochMilli(checkContext.sinceMillis()));
            while (rows.hasNext()) {
                walk.unfinished(NodeAnswers.row(rows.next()));
            }
        }
    }

    private String shown() {
        return followsTheRun() ? "brief=true&following=true" : "brief=true";
    }

    private double part(long fireMillis) {
        double span = Math.max(1, checkContext.now().millis() - checkContext.sinceMillis());
        return Math.min(1, (fireMillis - checkContext.sinceMillis()) / span);
    }

    /** The latest rows from before the span, oldest first. */
    private List<JsonNode> rowsBefore() throws NodeException {
        List<JsonNode> before = new ArrayList<>();
        String path = "/api/v1/tasks/" + task.id() + "/executions?" + shown() + "&limit=" + BEFORE + "&until="
                + Instant.ofEpochMilli(checkContext.sinceMillis());
        node.get(path).path("items").forEach(before::add);
        Collections.reverse(before);
        return before;
    }

    private WalkedTask walkedTask() {
        long now = checkContext.now().millis();
        long from = fromMillis();
        boolean beginsHere = NodeAnswers.millis(plan, "plannedFrom").orElse(-1) == from && plan.hasNonNull("because");
        long owedUntil = Math.min(
                NodeAnswers.millis(plan, "owedUntil").orElse(now),
                now - checkContext.now().graceMillis());
        return new WalkedTask(
                task.id(),
                task.name(),
                task.ruleContext(checkContext.now().graceMillis()),
                task.stand(checkContext),
                new WalkedTask.OwedRange(from, beginsHere, owedUntil, followsTheRun()));
    }

    private boolean followsTheRun() {
        return plan.path("followsTheRun").asBoolean();
    }

    ViolationList violations() {
        return violations;
    }

    /** What could not be judged, or null. */
    String unjudged() {
        return unjudged;
    }

    boolean mayResolveItself() {
        return MAY_HEAL.stream().anyMatch(violations::has);
    }

    /** The instant from which the slots are known. */
    long fromMillis() {
        return NodeAnswers.millis(plan, "from").orElse(checkContext.sinceMillis());
    }

    /**
     * Why the slots are not known from the beginning of the span, or null. A task younger than the span has no earlier
     * slots.
     */
    String because() {
        long plannedAt = NodeAnswers.millis(plan, "plannedAt").orElse(Long.MAX_VALUE);
        boolean isFirstPlan =
                plannedAt - NodeAnswers.millis(task.json(), "createdAt").orElse(0) < FIRST_PLAN_MILLIS;
        // The first slot of the task may lie after the span, which begins at its end then.
        boolean isWhole = isFirstPlan && NodeAnswers.millis(plan, "plannedFrom").orElse(-1) >= fromMillis();
        return plan.hasNonNull("because") && !isWhole ? plan.path("because").asText() : null;
    }

    long rows() {
        return walk.rows();
    }

    long slots() {
        return walk.slots();
    }

    long underWay() {
        return walk.underWay();
    }

    /** Carries a failed request through an iterator, which cannot throw a checked exception. */
    private static final class FailedRequest extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private final transient NodeException cause;

        FailedRequest(NodeException cause) {
            super(cause);
            this.cause = cause;
        }
    }

    private record Slots(RowPages pages) implements PrimitiveIterator.OfLong {
        @Override
        public boolean hasNext() {
            try {
                return pages.hasNext();
            } catch (NodeException e) {
                throw new FailedRequest(e);
            }
        }

        @Override
        public long nextLong() {
            try {
                return Instant.parse(pages.next().asText()).toEpochMilli();
            } catch (NodeException e) {
                throw new FailedRequest(e);
            }
        }
    }
}
