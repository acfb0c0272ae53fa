package io.twinbell.tools.cli.catalog;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.tools.cli.option.NodeAddresses;
import io.twinbell.tools.cli.option.ReasonOption;
import io.twinbell.tools.client.CommandClock;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.terminal.CommandOutput;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code twinbell alert}: manages alerts and shows their deliveries. */
@Command(
        name = "alert",
        description = "Lists, changes and tests alerts, which report problems to webhooks.",
        footer = {"  twinbell alert list", "  twinbell alert test pager"})
public final class AlertCommand {
    private static final Duration WRITE = Duration.ofSeconds(10);
    private static final NamedObjects ALERTS = new NamedObjects("/api/v1/alerts", "alerts", WRITE);
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(300);
    private static final Set<String> UNDER_WAY = Set.of("PENDING", "SENDING");

    @Spec
    private CommandSpec spec;

    @Command(
            name = "list",
            mixinStandardHelpOptions = true,
            description = "Lists alerts by name.",
            footer = {"  twinbell alert list", "  twinbell alert list -o yaml"})
    int list(@Mixin CommandOutput output, @Mixin NodeAddresses nodes) throws NodeException {
        return ALERTS.list(spec, output, nodes, AlertCommand::line);
    }

    private static String line(JsonNode alert) {
        List<String> on = new ArrayList<>();
        alert.path("on").forEach(one -> on.add(one.asText()));
        return String.format(
                Locale.ROOT,
                "%s %s %s version=%d%s",
                alert.path("name").asText(),
                String.join(",", on),
                alert.at("/webhook/url").asText(),
                alert.path("version").asLong(),
                alert.path("enabled").asBoolean(true) ? "" : " off");
    }

    @Command(
            name = "show",
            mixinStandardHelpOptions = true,
            description = "Prints an alert as JSON, in the form that 'alert put' accepts.",
            footer = {"  twinbell alert show pager > pager.json"})
    int show(@Mixin NodeAddresses nodes, @Parameters(paramLabel = "NAME") String name) throws NodeException {
        ObjectNode alert = (ObjectNode) nodes.get(ALERTS.path(name));
        alert.remove(List.of("createdAt", "updatedAt"));
        out().println(alert.toPrettyString());
        return 0;
    }

    @Command(
            name = "put",
            mixinStandardHelpOptions = true,
            description = "Creates or replaces an alert from a JSON file.",
            footer = {"  twinbell alert put pager pager.json"})
    int put(
            @Mixin NodeAddresses nodes,
            @Parameters(index = "0", paramLabel = "NAME") String name,
            @Parameters(index = "1", paramLabel = "FILE") Path file)
            throws NodeException {
        String json = NamedObjects.read(spec, file);
        out().println(line(ALERTS.put(nodes, ALERTS.path(name), "application/json", json)));
        return 0;
    }

    @Command(
            name = "rm",
            mixinStandardHelpOptions = true,
            description = "Removes an alert with its pending messages and the record of its deliveries.",
            footer = {"  twinbell alert rm pager"})
    int remove(@Mixin NodeAddresses nodes, @Mixin ReasonOption reason, @Parameters(paramLabel = "NAME") String name)
            throws NodeException {
        return ALERTS.remove(nodes, name, reason);
    }

    @Command(
            name = "test",
            mixinStandardHelpOptions = true,
            description = "Makes the master call the webhook once, and prints the result.",
            exitCodeList = {"0:delivered", "1:not delivered", "2:wrong usage", "3:no node answers"},
            footer = {"  twinbell alert test pager --wait 60"})
    int test(
            @Mixin NodeAddresses nodes,
            @Parameters(paramLabel = "NAME") String name,
            @Option(
                            names = "--wait",
                            paramLabel = "SECONDS",
                            defaultValue = "30",
                            description = "How long to wait for the result at most. Default: ${DEFAULT-VALUE}.")
                    int seconds)
            throws NodeException {
        CommandClock clock = new CommandClock();
        JsonNode delivery = nodes.repeatable(WRITE, node -> node.post(ALERTS.path(name) + "/test"));
        Duration limit = Duration.ofSeconds(seconds);
        long began = clock.nanos();
        while (UNDER_WAY.contains(delivery.path("state").asText())
                && clock.since(began).compareTo(limit) < 0) {
            clock.sleep(BETWEEN_LOOKS);
            delivery = again(nodes, name, delivery);
        }
        out().println(deliveryLine(delivery));
        return delivery.path("state").asText().equals("DELIVERED") ? 0 : 1;
    }

    /**
     * Reads the current state of a delivery, as a page of one: pages are ordered by descending id and exclude the id
     * they start after.
     */
    private static JsonNode again(NodeAddresses nodes, String name, JsonNode delivery) throws NodeException {
        long id = delivery.path("id").asLong();
        JsonNode page = nodes.get(ALERTS.path(name) + "/deliveries?limit=1&after=" + (id + 1));
        JsonNode found = page.path("items").path(0);
        return found.path("id").asLong() == id ? found : delivery;
    }

    @Command(
            name = "deliveries",
            mixinStandardHelpOptions = true,
            description = "Lists the deliveries of an alert with their results, newest first.",
            footer = {"  twinbell alert deliveries pager -n 100"})
    int deliveries(
            @Mixin NodeAddresses nodes,
            @Parameters(paramLabel = "NAME") String name,
            @Option(
                            names = "-n",
                            paramLabel = "COUNT",
                            defaultValue = "20",
                            description = "Number of deliveries, at most 1000. Default: ${DEFAULT-VALUE}.")
                    int count,
            @Mixin CommandOutput output)
            throws NodeException {
        JsonNode found =
                nodes.get(ALERTS.path(name) + "/deliveries?limit=" + count).path("items");
        output.lines(spec.commandLine(), found, "No deliveries found", AlertCommand::deliveryLine);
        return 0;
    }

    private static String deliveryLine(JsonNode delivery) {
        String error = delivery.path("error").asText("");
        return String.format(
                Locale.ROOT,
                "%s %s attempt=%d %s%s",
                delivery.path("createdAt").asText(),
                delivery.path("state").asText(),
                delivery.path("attempt").asInt(),
                delivery.at("/alert/summary").asText(),
                error.isEmpty() || delivery.path("error").isNull() ? "" : " [" + error + "]");
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }
}
