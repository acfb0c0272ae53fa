package io.twinbell.tools.importer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Turns the container of a pod into a shell handler. As in Kubernetes, {@code $(NAME)} is replaced, and $$ is one $. */
final class ContainerCommand {
    private static final Pattern REFERENCE = Pattern.compile("\\$\\$|\\$\\(([^()]{1,250})\\)");

    private final JsonNode container;
    private final List<String> notes;
    private final Map<String, String> variables = new LinkedHashMap<>();
    private final Set<String> ofCluster = new HashSet<>();

    private ContainerCommand(JsonNode container, List<String> notes) {
        this.container = container;
        this.notes = notes;
    }

    /**
     * @param pod the specification of the pod
     * @param notes receives what the node cannot provide
     * @throws IllegalArgumentException if a task cannot run it; the message says why
     */
    static ObjectNode handler(JsonNode pod, List<String> notes) {
        JsonNode containers = pod.path("containers");
        if (containers.size() != 1) {
            throw new IllegalArgumentException("has " + containers.size() + " containers; a task runs one command");
        }
        if (!pod.path("initContainers").isEmpty()) {
            throw new IllegalArgumentException("has init containers; a task runs one command");
        }
        return new ContainerCommand(containers.path(0), notes).handler();
    }

    private ObjectNode handler() {
        String image = container.path("image").asText();
        readVariables();
        ArrayNode words = JsonNodeFactory.instance.arrayNode();
        container.path("command").forEach(word -> words.add(replaced(word.asText())));
        if (words.isEmpty()) {
            throw new IllegalArgumentException("runs the entry point of the image " + image
                    + ", which the file does not say: give --http, or add the task by hand");
        }
        container.path("args").forEach(word -> words.add(replaced(word.asText())));
        ObjectNode handler = JsonNodeFactory.instance.objectNode().put("type", "shell");
        handler.set("command", words);
        if (!variables.isEmpty()) {
            ObjectNode environment = handler.putObject("environment");
            variables.forEach(environment::put);
        }
        if (container.path("workingDir").asText().startsWith("/")) {
            handler.put("workingDirectory", container.path("workingDir").asText());
        }
        container
                .path("volumeMounts")
                .forEach(volume ->
                        notes.add("the volume at " + volume.path("mountPath").asText() + " must exist on both nodes"));
        notes.add("the programs of the image " + image + " must be installed on both nodes");
        return handler;
    }

    private void readVariables() {
        for (JsonNode variable : container.path("env")) {
            String name = variable.path("name").asText();
            if (variable.has("valueFrom")) {
                ofCluster.add(name);
                notes.add("the variable " + name
                        + " comes from the cluster: put it into the task, or make it a secret of the nodes");
            } else {
                variables.put(name, replaced(variable.path("value").asText("")));
            }
        }
        if (!container.path("envFrom").isEmpty()) {
            notes.add("the variables of envFrom come from the cluster: put them into the task");
        }
    }

    /** A reference that nothing defines stays as it is. */
    private String replaced(String text) {
        return REFERENCE.matcher(text).replaceAll(found -> {
            String name = found.group(1);
            if (ofCluster.contains(name)) {
                throw new IllegalArgumentException("uses $(" + name + "), whose value comes from the cluster");
            }
            String value = name == null ? "$" : variables.getOrDefault(name, found.group());
            return Matcher.quoteReplacement(value);
        });
    }
}
