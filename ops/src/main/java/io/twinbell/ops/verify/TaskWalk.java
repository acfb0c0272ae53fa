package io.twinbell.ops.verify;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.ops.check.Rule;
import io.twinbell.ops.check.Walk;
import io.twinbell.ops.check.WalkedTask;
import io.twinbell.ops.client.NodeClient;
import io.twinbell.ops.client.NodeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.PrimitiveIterator;
import java.util.function.DoubleConsumer;

/** One task's slots and rows, a page of each at a time. */
final class TaskWalk {
    private static final int PAGE = 10_000;
    /** A row of many slots is the last that the schedule put before them; rows by hand may stand in between. */
    private static final int BEFORE = 200;

    /** The plan that a task was made with is written with it. */
    private static final long FIRST_PLAN_MILLIS = 1000;

    private final NodeClient node;
    private final JsonNode task;
    private final Verifier.Moment moment;
    private final Wounds wounds;
    private Walk walk;
    private JsonNode plan;

    TaskWalk(NodeClient node, JsonNode task, Verifier.Moment moment, int mostWounds) {
        this.node = node;
        this.task = task;
        this.moment = moment;
        wounds = new Wounds(mostWounds);
    }

    /**
     * Walks.
     *
     * @return false if the task is not there any more
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
            walk = new Walk(walkedTask(), moment.now(), moment.reigns(), slots, wounds::add);
            walkRows(progress);
        } catch (Unanswered e) {
            throw e.cause;
        }
        return true;
    }

    private String path(String what) {
        return "/api/v1/tasks/" + id() + "/" + what + "?from=" + Instant.ofEpochMilli(moment.sinceMillis()) + "&until="
                + Instant.ofEpochMilli(moment.now().millis());
    }

    private long id() {
        return task.path("id").asLong();
    }

    private void walkRows(DoubleConsumer progress) throws NodeException {
        for (JsonNode row : rowsBefore()) {
            walk.before(Answers.row(row));
        }
        RowPages rows = new RowPages(node, path("executions") + "&order=oldest&" + shown() + "&limit=" + PAGE);
        long seen = 0;
        while (rows.hasNext()) {
            JsonNode row = rows.next();
            walk.row(Answers.row(row), !row.hasNonNull("origin"));
            if (++seen % 1000 == 0) {
                progress.accept(part(Answers.millis(row, "fireTime").orElse(0)));
            }
        }
        walk.end();
        progress.accept(1);
    }

    private String shown() {
        return followsTheRun() ? "brief=true&following=true" : "brief=true";
    }

    private double part(long fireMillis) {
        double span = Math.max(1, moment.now().millis() - moment.sinceMillis());
        return Math.min(1, (fireMillis - moment.sinceMillis()) / span);
    }

    /** Oldest first. */
    private List<JsonNode> rowsBefore() throws NodeException {
        List<JsonNode> before = new ArrayList<>();
        String path = "/api/v1/tasks/" + id() + "/executions?" + shown() + "&limit=" + BEFORE + "&until="
                + Instant.ofEpochMilli(moment.sinceMillis());
        node.get(path).path("items").forEach(row -> {
            if (!row.hasNonNull("origin")) {
                before.add(row);
            }
        });
        Collections.reverse(before);
        return before;
    }

    private WalkedTask walkedTask() {
        long now = moment.now().millis();
        long from = fromMillis();
        boolean beginsHere = Answers.millis(plan, "plannedFrom").orElse(-1) == from && plan.hasNonNull("because");
        long owedUntil = Math.min(
                Answers.millis(plan, "owedUntil").orElse(now),
                now - moment.now().graceMillis());
        return new WalkedTask(
                id(),
                task.path("app").asText() + "/" + task.path("name").asText(),
                new WalkedTask.Policies(
                        task.path("orphan").asText().equals("RERUN"),
                        task.path("overlap").toString().contains("QUEUE"),
                        task.path("retry").path("maxAttempts").asInt(1),
                        timeout()),
                Answers.millis(task, "nextFireTime"),
                new WalkedTask.Stretch(from, beginsHere, owedUntil, followsTheRun()));
    }

    private boolean followsTheRun() {
        return plan.path("followsTheRun").asBoolean();
    }

    private OptionalLong timeout() {
        return task.hasNonNull("timeout")
                ? OptionalLong.of(Duration.parse(task.path("timeout").asText()).toMillis())
                : OptionalLong.empty();
    }

    Wounds wounds() {
        return wounds;
    }

    boolean mayHeal() {
        return wounds.has(Rule.LOST) || wounds.has(Rule.UNFINISHED) || wounds.has(Rule.CHAIN_BROKEN);
    }

    /** From where on the slots could be told. */
    long fromMillis() {
        return Answers.millis(plan, "from").orElse(moment.sinceMillis());
    }

    /** Why not from the beginning of the span, or null. A task that is younger than the span has nothing before it. */
    String because() {
        long plannedAt = Answers.millis(plan, "plannedAt").orElse(Long.MAX_VALUE);
        boolean isFirstPlan = plannedAt - Answers.millis(task, "createdAt").orElse(0) < FIRST_PLAN_MILLIS;
        boolean isWhole = isFirstPlan && Answers.millis(plan, "plannedFrom").orElse(-1) == fromMillis();
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

    /** A fire time is asked for in the middle of a decision, which knows no node. */
    private static final class Unanswered extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private final transient NodeException cause;

        Unanswered(NodeException cause) {
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
                throw new Unanswered(e);
            }
        }

        @Override
        public long nextLong() {
            try {
                return Instant.parse(pages.next().asText()).toEpochMilli();
            } catch (NodeException e) {
                throw new Unanswered(e);
            }
        }
    }
}
