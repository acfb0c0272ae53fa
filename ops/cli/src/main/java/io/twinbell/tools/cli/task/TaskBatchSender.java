package io.twinbell.tools.cli.task;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.tools.cli.option.NodeAddresses;
import io.twinbell.tools.cli.option.QueryString;
import io.twinbell.tools.cli.option.TaskLines;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.manifest.Manifest;
import io.twinbell.tools.terminal.CommandOutput;
import io.twinbell.tools.terminal.Progress;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine;

/** Sends new tasks in batches of a thousand, and reports each task that was not created. */
final class TaskBatchSender {
    private static final int BATCH_SIZE = 1000;
    private static final Duration LIMIT = Duration.ofMinutes(2);

    private final NodeAddresses nodes;
    private final String ifExists;
    private final boolean dryRun;
    private int created;
    private int existing;
    private int refused;

    /** @param ifExists REFUSE, KEEP or REPLACE */
    TaskBatchSender(NodeAddresses nodes, String ifExists, boolean dryRun) {
        this.nodes = nodes;
        this.ifExists = ifExists;
        this.dryRun = dryRun;
    }

    /** Returns the exit code: 1 if any task was refused. */
    int send(List<Manifest.Entry> tasks, CommandLine line, CommandOutput output) throws NodeException {
        ArrayNode answers = JsonNodeFactory.instance.arrayNode();
        boolean tellsEach = tasks.size() <= 20 && !output.isDocument();
        Progress progress = new Progress(line.getErr(), dryRun ? "checking" : "adding");
        for (int first = 0; first < tasks.size(); first += BATCH_SIZE) {
            List<Manifest.Entry> some = tasks.subList(first, Math.min(tasks.size(), first + BATCH_SIZE));
            JsonNode answer = post(some);
            for (int i = 0; i < some.size(); i++) {
                JsonNode item = answer.path("items").path(i);
                answers.add(item);
                String text = count(some.get(i), item);
                if (item.has("problem")) {
                    line.getErr().println(text);
                } else if (tellsEach) {
                    line.getOut().println(text);
                }
            }
            progress.at(first + some.size(), tasks.size(), "tasks");
        }
        if (output.isDocument()) {
            output.document(line.getOut(), answers);
        } else if (!tellsEach) {
            line.getOut().println(summary());
        }
        line.getOut().flush();
        return refused == 0 ? 0 : 1;
    }

    private JsonNode post(List<Manifest.Entry> tasks) throws NodeException {
        ArrayNode items = JsonNodeFactory.instance.arrayNode();
        tasks.forEach(task -> items.add(task.json()));
        String path = new QueryString("/api/v1/tasks/batch")
                .with("ifExists", ifExists)
                .with("dryRun", dryRun ? "true" : null)
                .path();
        return nodes.once(LIMIT, node -> node.post(path, items));
    }

    private String count(Manifest.Entry task, JsonNode item) {
        if (item.has("problem")) {
            refused++;
            List<String> faults = NodeException.MemberError.allOf(item.path("problem")).stream()
                    .map(NodeException.MemberError::line)
                    .toList();
            String why =
                    faults.isEmpty() ? item.path("problem").path("detail").asText() : String.join("\n " + " ", faults);
            return "refused " + task.key() + (task.where().equals(task.key()) ? "" : " (" + task.where() + ")")
                    + (faults.size() > 1 ? ":\n  " : ": ") + why;
        }
        boolean isNew = item.path("status").asInt() == 201;
        created += isNew ? 1 : 0;
        existing += isNew ? 0 : 1;
        ObjectNode checked = item.path("task") instanceof ObjectNode one ? one : null;
        String verb = isNew
                ? verb("created", "would create")
                : ifExists.equals("KEEP") ? verb("kept", "would keep") : verb("replaced", "would replace");
        return verb + " " + task.key()
                + (checked == null
                        ? " as " + item.path("id").asText()
                        : ", first fire time " + TaskLines.instant(item, "nextFireTime"));
    }

    private String verb(String done, String ofDryRun) {
        return dryRun ? ofDryRun : done;
    }

    private String summary() {
        return created + " created, " + existing + (ifExists.equals("KEEP") ? " kept, " : " replaced, ") + refused
                + " refused" + (dryRun ? " (nothing was stored)" : "");
    }
}
