package io.twinbell.tools.cli.task;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.twinbell.tools.cli.option.NodeAddresses;
import io.twinbell.tools.client.NodeClient;
import io.twinbell.tools.client.NodeException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Creates a few demo tasks whose runs appear in the nodes' logs. A second call changes nothing. */
@Command(name = "seed-demo", hidden = true, description = "Creates a few demo tasks.")
public final class SeedDemoCommand implements Callable<Integer> {
    private static final Duration LIMIT = Duration.ofSeconds(10);

    @Spec
    private CommandSpec spec;

    @Mixin
    private NodeAddresses nodes;

    @Override
    public Integer call() throws NodeException, IOException {
        URI node = nodes.addresses().get(0);
        for (JsonNode task : demoTasks()) {
            String name = task.path("name").asText();
            new NodeClient(node, LIMIT).put("/api/v1/apps/demo/tasks/" + name, task);
            spec.commandLine().getOut().println("demo/" + name + " " + task.path("schedule"));
        }
        return 0;
    }

    private static JsonNode demoTasks() throws IOException {
        try (InputStream tasks = SeedDemoCommand.class.getResourceAsStream("demo-tasks.json")) {
            return new ObjectMapper().readTree(tasks);
        }
    }
}
