package io.twinbell.tools.cli.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.tools.cli.option.ChangeLines;
import io.twinbell.tools.cli.option.NodeAddresses;
import io.twinbell.tools.cli.option.QueryString;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.manifest.ManifestChange;
import io.twinbell.tools.manifest.ManifestChange.ChangeKind;
import io.twinbell.tools.manifest.ManifestKind;
import io.twinbell.tools.terminal.Progress;
import io.twinbell.tools.terminal.Terminal;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;

/** Carries out the changes of a plan in the order of their dependencies, and keeps the outcome of each. */
public final class ApplyRun {
    private static final int BATCH_SIZE = 1000;
    private static final Duration LIMIT = Duration.ofMinutes(2);

    /** The outcome of a change. */
    private enum ChangeOutcome {
        CREATED("created"),
        CHANGED("changed"),
        REMOVED("removed"),
        UNCHANGED("unchanged"),
        PASSED_OVER("left out"),
        REFUSED("refused"),
        /** No node answered, so the change may have been made. */
        UNKNOWN("unknown: no node answered the request"),
        NOT_DONE("not done");

        private final String word;

        ChangeOutcome(String word) {
            this.word = word;
        }
    }

    private final NodeAddresses nodes;
    private final Progress progress;
    private final PrintWriter out;
    private final ChangeLines lines = new ChangeLines(Terminal.current());
    private final ArrayNode resultsJson = JsonNodeFactory.instance.arrayNode();
    private final Map<ChangeOutcome, Integer> counts = new EnumMap<>(ChangeOutcome.class);
    private int done;

    /** @param out receives a line for each change; null for none */
    public ApplyRun(NodeAddresses nodes, Progress progress, PrintWriter out) {
        this.nodes = nodes;
        this.progress = progress;
        this.out = out;
    }

    /**
     * Makes all changes.
     *
     * @param mayRemove whether removals were confirmed
     * @return the error that ended the run early because no node answered; null if it was complete
     */
    public NodeException.Unreachable all(List<ManifestChange> changes, boolean mayRemove) {
        List<List<ManifestChange>> steps = steps(changes);
        for (int i = 0; i < steps.size(); i++) {
            List<ManifestChange> step = steps.get(i);
            try {
                carryOut(step, mayRemove);
            } catch (NodeException.Unreachable e) {
                step.forEach(change -> record(change, ChangeOutcome.UNKNOWN, null));
                steps.subList(i + 1, steps.size())
                        .forEach(rest -> rest.forEach(change -> record(change, ChangeOutcome.NOT_DONE, null)));
                return e;
            }
            done += step.size();
            progress.at(done, changes.size(), "changes");
        }
        return null;
    }

    /**
     * Splits the changes into requests: one per change, except for new tasks, which go in batches of a thousand.
     * Removals come last.
     */
    private static List<List<ManifestChange>> steps(List<ManifestChange> changes) {
        List<List<ManifestChange>> steps = new ArrayList<>();
        List<ManifestChange> batch = new ArrayList<>();
        for (ManifestKind kind : ManifestKind.values()) {
            for (ManifestChange change : changes) {
                if (change.kind() != kind || change.changeKind() == ChangeKind.REMOVE) {
                    continue;
                }
                boolean isBatched = kind == ManifestKind.TASK && change.changeKind() == ChangeKind.CREATE;
                if (!isBatched) {
                    steps.add(List.of(change));
                } else {
                    batch.add(change);
                    if (batch.size() == BATCH_SIZE) {
                        steps.add(List.copyOf(batch));
                        batch.clear();
                    }
                }
            }
            if (!batch.isEmpty()) {
                steps.add(List.copyOf(batch));
                batch.clear();
            }
        }
        changes.stream()
                .filter(change -> change.changeKind() == ChangeKind.REMOVE)
                .forEach(change -> steps.add(List.of(change)));
        return steps;
    }

    private void carryOut(List<ManifestChange> step, boolean mayRemove) throws NodeException.Unreachable {
        ManifestChange first = step.get(0);
        try {
            switch (first.changeKind()) {
                case KEEP -> record(first, ChangeOutcome.UNCHANGED, null);
                case REFUSE -> record(first, ChangeOutcome.REFUSED, first.obstacle());
                case PASS_OVER -> record(first, ChangeOutcome.PASSED_OVER, first.obstacle());
                case REMOVE -> remove(first, mayRemove);
                default -> {
                    if (first.kind() == ManifestKind.TASK && first.changeKind() == ChangeKind.CREATE) {
                        create(step);
                    } else {
                        put(first);
                    }
                }
            }
        } catch (NodeException.Unreachable e) {
            throw e;
        } catch (NodeException.Refused e) {
            record(first, ChangeOutcome.REFUSED, ApplyPlan.why(e.faults(), e.getMessage()));
        } catch (NodeException e) {
            step.forEach(change -> record(change, ChangeOutcome.NOT_DONE, e.getMessage()));
        }
    }

    private void create(List<ManifestChange> tasks) throws NodeException {
        ArrayNode items = JsonNodeFactory.instance.arrayNode();
        tasks.forEach(task -> items.add(task.wanted()));
        JsonNode answers = nodes.once(LIMIT, node -> node.post("/api/v1/tasks/batch?ifExists=REFUSE", items));
        for (int i = 0; i < tasks.size(); i++) {
            JsonNode problem = answers.path("items").path(i).path("problem");
            if (problem.isObject()) {
                record(
                        tasks.get(i),
                        ChangeOutcome.REFUSED,
                        ApplyPlan.why(
                                NodeException.MemberError.allOf(problem),
                                problem.path("detail").asText()));
            } else {
                record(tasks.get(i), ChangeOutcome.CREATED, null);
            }
        }
    }

    private void put(ManifestChange change) throws NodeException {
        ObjectNode body = ApplyPlan.sent(change.kind(), change.wanted());
        if (change.version() > 0) {
            body.put("version", change.version());
        }
        nodes.once(LIMIT, node -> node.put(change.kind().path(change.wanted()), body));
        record(change, change.changeKind() == ChangeKind.CREATE ? ChangeOutcome.CREATED : ChangeOutcome.CHANGED, null);
    }

    /**
     * Removes by id and version. So a task stays if it was edited, or removed and created again, after the plan was
     * made.
     */
    private void remove(ManifestChange change, boolean mayRemove) throws NodeException {
        if (!mayRemove) {
            record(change, ChangeOutcome.NOT_DONE, "the removal was not confirmed; --yes confirms without a prompt");
            return;
        }
        String path = "/api/v1/tasks/" + change.wanted().path("id").asLong();
        String planned = new QueryString(path).with("version", change.version()).path();
        nodes.once(LIMIT, node -> node.delete(planned));
        record(change, ChangeOutcome.REMOVED, null);
    }

    private void record(ManifestChange change, ChangeOutcome changeOutcome, String why) {
        counts.merge(changeOutcome, 1, Integer::sum);
        if (changeOutcome == ChangeOutcome.UNCHANGED) {
            return;
        }
        ObjectNode json = ChangeLines.json(change).put("result", changeOutcome.name());
        if (why != null) {
            json.put("reason", why);
        }
        resultsJson.add(json);
        if (out != null) {
            String sign = changeOutcome == ChangeOutcome.CREATED
                            || changeOutcome == ChangeOutcome.CHANGED
                            || changeOutcome == ChangeOutcome.REMOVED
                    ? change.changeKind().sign()
                    : "!";
            out.println(lines.painted(
                    sign,
                    change.kind().word() + " " + change.key() + " " + changeOutcome.word
                            + (why == null ? "" : ": " + why)));
            out.flush();
        }
    }

    public ArrayNode resultsJson() {
        return resultsJson;
    }

    public boolean isComplete() {
        return !counts.containsKey(ChangeOutcome.REFUSED)
                && !counts.containsKey(ChangeOutcome.UNKNOWN)
                && !counts.containsKey(ChangeOutcome.NOT_DONE);
    }

    public String summary() {
        StringJoiner summary = new StringJoiner(", ");
        counts.forEach((changeOutcome, count) -> summary.add(count + " " + changeOutcome.word.replaceFirst(":.*", "")));
        return summary.length() == 0 ? "nothing is declared" : summary.toString();
    }
}
