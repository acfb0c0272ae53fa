package io.twinbell.tools.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.tools.cli.option.DurationConverter;
import io.twinbell.tools.cli.option.NodeAddresses;
import io.twinbell.tools.cli.option.QueryString;
import io.twinbell.tools.cli.option.ReasonOption;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.terminal.CommandOutput;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code twinbell token}: manages the tokens of the HTTP API. */
@Command(
        name = "token",
        description = "Creates, lists, rotates and revokes tokens of the HTTP API.",
        footer = {
            "  twinbell token create deploy --role editor --app shop --expires 90d",
            "  twinbell token revoke deploy"
        })
public final class TokenCommand {
    private static final String TOKENS = "/api/v1/tokens";
    private static final Duration LIMIT = Duration.ofSeconds(10);

    @Spec
    private CommandSpec spec;

    /** The roles of the API. */
    enum TokenRole {
        VIEWER,
        OPERATOR,
        EDITOR,
        ADMIN
    }

    /** What a token may use in tasks. */
    enum TokenGrant {
        SQL,
        SHELL,
        SECRETS
    }

    @Command(
            name = "create",
            mixinStandardHelpOptions = true,
            description = "Creates a token and prints it. It is not shown again.",
            footer = {
                "  twinbell token create deploy --role editor --app shop --grant sql --expires 90d",
                "  twinbell token create grafana --role viewer > grafana.token"
            })
    int create(
            @Mixin NodeAddresses nodes,
            @Parameters(paramLabel = "NAME") String name,
            @Option(names = "--role", required = true, description = "One of ${COMPLETION-CANDIDATES}.") TokenRole role,
            @Option(
                            names = "--app",
                            paramLabel = "APP",
                            description = "The only app that the holder sees and changes; repeatable.")
                    List<String> apps,
            @Option(
                            names = "--grant",
                            paramLabel = "GRANT",
                            description = "What the holder may use in tasks: ${COMPLETION-CANDIDATES}; repeatable.")
                    List<TokenGrant> grants,
            @Option(
                            names = "--expires",
                            paramLabel = "DURATION",
                            converter = DurationConverter.class,
                            description = "How long the token is valid, such as 90d. Default: without an end.")
                    Duration expires)
            throws NodeException {
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        body.put("name", name).put("role", role.name());
        if (apps != null) {
            apps.forEach(body.putArray("apps")::add);
        }
        if (grants != null) {
            grants.forEach(grant -> body.withArray("grants").add(grant.name()));
        }
        if (expires != null) {
            body.put("validFor", expires.toString());
        }
        return show(nodes.once(LIMIT, node -> node.post(TOKENS, body)));
    }

    @Command(
            name = "list",
            mixinStandardHelpOptions = true,
            description = "Lists tokens by name. The tokens themselves are not stored.",
            footer = {"  twinbell token list", "  twinbell token list -o json"})
    int list(@Mixin CommandOutput output, @Mixin NodeAddresses nodes) throws NodeException {
        JsonNode items = nodes.get(TOKENS).path("items");
        output.lines(spec.commandLine(), items, "No tokens found", TokenCommand::line);
        return 0;
    }

    private static String line(JsonNode token) {
        return String.format(
                Locale.ROOT,
                "%s %s apps=%s grants=%s expires=%s used=%s",
                token.path("name").asText(),
                token.path("role").asText().toLowerCase(Locale.ROOT),
                texts(token.path("apps"), "all"),
                texts(token.path("grants"), "none").toLowerCase(Locale.ROOT),
                token.path("expiresAt").asText("never"),
                token.path("lastUsedAt").asText("never"));
    }

    private static String texts(JsonNode list, String otherwise) {
        return list.isEmpty()
                ? otherwise
                : StreamSupport.stream(list.spliterator(), false)
                        .map(JsonNode::asText)
                        .collect(Collectors.joining(","));
    }

    @Command(
            name = "rotate",
            mixinStandardHelpOptions = true,
            description = "Replaces a token and prints the new one. The previous one stays valid for the overlap.",
            footer = {"  twinbell token rotate deploy --overlap 1h"})
    int rotate(
            @Mixin NodeAddresses nodes,
            @Parameters(paramLabel = "NAME") String name,
            @Option(
                            names = "--overlap",
                            paramLabel = "DURATION",
                            defaultValue = "1h",
                            converter = DurationConverter.class,
                            description = "How long the previous token stays valid. Default: ${DEFAULT-VALUE}.")
                    Duration overlap)
            throws NodeException {
        ObjectNode body = JsonNodeFactory.instance.objectNode().put("overlap", overlap.toString());
        return show(nodes.once(LIMIT, node -> node.post(path(name) + "/rotate", body)));
    }

    @Command(
            name = "revoke",
            mixinStandardHelpOptions = true,
            description = "Revokes a token. Both nodes refuse it within a second.",
            footer = {"  twinbell token revoke deploy"})
    int revoke(@Mixin NodeAddresses nodes, @Mixin ReasonOption reason, @Parameters(paramLabel = "NAME") String name)
            throws NodeException {
        nodes.once(LIMIT, node -> node.delete(reason.on(path(name))));
        return 0;
    }

    private static String path(String name) {
        return TOKENS + "/" + QueryString.encoded(name);
    }

    private int show(JsonNode created) {
        out().println(created.path("token").asText());
        out().flush();
        return 0;
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }
}
