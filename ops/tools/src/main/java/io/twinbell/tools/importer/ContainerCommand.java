package io.twinbell.tools.importer;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Turns the container of a pod into a shell handler. As in Kubernetes, {@code $(NAME)} is replaced, and $$ is one $. */
final class ContainerCommand {
    private static final Pattern REFERENCE = Pattern.compile("\\$\\$|\\$\\(([^()]{1,250})\\)");

    /** More than a task may have. */
    private static final int MAX_EXPANDED = 128 * 1024;

    private static final Set<String> KNOWN_OF_POD = Set.of(
            "containers",
            "initContainers",
            "restartPolicy",
            "volumes",
            "imagePullSecrets",
            "dnsPolicy",
            "schedulerName",
            "terminationGracePeriodSeconds");
    private static final Set<String> KNOWN_OF_CONTAINER = Set.of(
            "name",
            "image",
            "imagePullPolicy",
            "command",
            "args",
            "env",
            "envFrom",
            "workingDir",
            "volumeMounts",
            "terminationMessagePath",
            "terminationMessagePolicy");

    private final KubernetesFields container;
    private final List<String> notes;
    private final Map<String, String> variables = new LinkedHashMap<>();
    private final Set<String> ofCluster = new HashSet<>();
    private int expanded;

    private ContainerCommand(KubernetesFields container, List<String> notes) {
        this.container = container;
        this.notes = notes;
    }

    /**
     * @param pod the specification of the pod
     * @param notes receives what the node cannot provide
     * @throws IllegalArgumentException if a task cannot run it; the message says why
     */
    static ObjectNode handler(KubernetesFields pod, List<String> notes) {
        List<KubernetesFields> containers = pod.objects("containers");
        if (containers.size() != 1) {
            throw new IllegalArgumentException("has " + containers.size() + " containers; a task runs one command");
        }
        if (!pod.objects("initContainers").isEmpty()) {
            throw new IllegalArgumentException("has init containers; a task runs one command");
        }
        ObjectNode handler = new ContainerCommand(containers.get(0), notes).handler();
        Set<String> left = new LinkedHashSet<>(pod.others(KNOWN_OF_POD));
        left.addAll(containers.get(0).others(KNOWN_OF_CONTAINER));
        if (!left.isEmpty()) {
            notes.add("settings of the pod that a task does not have are left out: " + String.join(", ", left));
        }
        return handler;
    }

    private ObjectNode handler() {
        String image = container.text("image", "");
        readVariables();
        ArrayNode words = JsonNodeFactory.instance.arrayNode();
        container.texts("command").forEach(word -> words.add(replaced(word)));
        if (words.isEmpty()) {
            throw new IllegalArgumentException("runs the entry point of the image " + image
                    + ", which the file does not say: give --http, or add the task by hand");
        }
        container.texts("args").forEach(word -> words.add(replaced(word)));
        ObjectNode handler = JsonNodeFactory.instance.objectNode().put("type", "shell");
        handler.set("command", words);
        if (!variables.isEmpty()) {
            ObjectNode environment = handler.putObject("environment");
            variables.forEach(environment::put);
        }
        String directory = container.text("workingDir", "");
        if (directory.startsWith("/")) {
            handler.put("workingDirectory", directory);
        } else if (!directory.isEmpty()) {
            notes.add("workingDir " + directory + " is not an absolute path, so it is left out");
        }
        container
                .objects("volumeMounts")
                .forEach(volume ->
                        notes.add("the volume at " + volume.text("mountPath", "?") + " must exist on both nodes"));
        notes.add("the programs of the image " + image + " must be installed on both nodes");
        return handler;
    }

    private void readVariables() {
        for (KubernetesFields variable : container.objects("env")) {
            String name = variable.text("name", "");
            if (variable.has("valueFrom")) {
                ofCluster.add(name);
                notes.add("the variable " + name
                        + " comes from the cluster: put it into the task, or make it a secret of the nodes");
            } else {
                variables.put(name, replaced(variable.text("value", "")));
            }
        }
        if (!container.objects("envFrom").isEmpty()) {
            notes.add("the variables of envFrom come from the cluster: put them into the task");
        }
    }

    /** A reference that nothing defines stays as it is. Each variable may refer to earlier ones many times. */
    private String replaced(String text) {
        StringBuilder replaced = new StringBuilder();
        Matcher reference = REFERENCE.matcher(text);
        int end = 0;
        while (reference.find()) {
            String name = reference.group(1);
            if (ofCluster.contains(name)) {
                throw new IllegalArgumentException("uses $(" + name + "), whose value comes from the cluster");
            }
            replaced.append(text, end, reference.start());
            replaced.append(name == null ? "$" : variables.getOrDefault(name, reference.group()));
            end = reference.end();
            requireBound(replaced.length());
        }
        replaced.append(text, end, text.length());
        requireBound(replaced.length());
        expanded += replaced.length();
        return replaced.toString();
    }

    private void requireBound(int length) {
        if (expanded + length > MAX_EXPANDED) {
            throw new IllegalArgumentException(
                    "has command and variables of more than " + MAX_EXPANDED + " characters");
        }
    }
}
