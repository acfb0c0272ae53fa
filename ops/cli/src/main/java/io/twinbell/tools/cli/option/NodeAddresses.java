package io.twinbell.tools.cli.option;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.tools.client.ClientTls;
import io.twinbell.tools.client.InstalledPair;
import io.twinbell.tools.client.NodeClient;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.client.PairSnapshot;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Options that name the pair's nodes, and methods that send a request to the node that answers. */
public final class NodeAddresses {
    private static final Duration LOOK = Duration.ofSeconds(2);

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--url",
            paramLabel = "URL",
            description = "Address of a node; repeatable. Default: the comma-separated TWINBELL_URLS, or the installed"
                    + " node and its peer, or http://127.0.0.1:8081 and http://127.0.0.1:8082.")
    private List<String> urls;

    @Option(
            names = "--ca",
            paramLabel = "FILE",
            description = "PEM file with the authorities that issue the nodes' certificates. Default: TWINBELL_CA, or"
                    + " the authorities of the Java runtime.")
    private Path authorities;

    @Option(
            names = "--cert",
            paramLabel = "FILE",
            description =
                    "PEM file with this client's certificate, for nodes that ask for one. Default:" + " TWINBELL_CERT.")
    private Path certificate;

    @Option(
            names = "--key",
            paramLabel = "FILE",
            description =
                    "PEM file with the key of the certificate, if --cert does not have it. Default: TWINBELL_KEY.")
    private Path key;

    private List<URI> addresses;

    public PairSnapshot status() {
        return PairSnapshot.of(addresses());
    }

    /** The answer of the first node that gives one. */
    public JsonNode get(String path) throws NodeException {
        return first(node -> node.get(path));
    }

    /**
     * The same for a query with a body. The query must change nothing, because a node may receive it without answering.
     */
    public JsonNode ask(String path, JsonNode question) throws NodeException {
        return first(node -> node.post(path, question));
    }

    /** Sends an idempotent request: asks the other node if one does not answer in time. */
    public JsonNode repeatable(Duration limit, Question question) throws NodeException {
        return first(limit, question);
    }

    /**
     * Sends a request that must not be repeated: asks another node only if the first one cannot be reached, or answers
     * that it is unavailable.
     */
    public JsonNode once(Duration limit, Question question) throws NodeException {
        return first(
                limit,
                unanswered -> {
                    throw unanswered;
                },
                question);
    }

    /**
     * Sends a request that may take long and that a node may have carried out without an answer: the other node gets it
     * then.
     *
     * @param reaction learns of a request that got no answer, before the other node gets it
     */
    public JsonNode repeatable(Duration limit, UnansweredListener reaction, Question question) throws NodeException {
        return first(limit, reaction, question);
    }

    private JsonNode first(Duration limit, UnansweredListener reaction, Question question) throws NodeException {
        NodeException last = null;
        for (URI address : addresses()) {
            try {
                new NodeClient(address, LOOK).get("/api/v1/cluster/self");
            } catch (NodeException.Unreachable e) {
                last = e;
                continue;
            }
            try {
                return question.to(new NodeClient(address, limit));
            } catch (NodeException.Unavailable e) {
                last = e;
            } catch (NodeException.Unreachable e) {
                reaction.unanswered(e);
                last = e;
            }
        }
        throw last;
    }

    /** Decides about a request that a node received and did not answer. */
    public interface UnansweredListener {
        /** @throws NodeException if no other node may get the request */
        void unanswered(NodeException.Unreachable cause) throws NodeException;
    }

    /** A request that any node can answer. */
    public interface Question {
        JsonNode to(NodeClient node) throws NodeException;
    }

    /** Asks the first node; the other one if the first does not answer in time or is unavailable. */
    public JsonNode first(Question question) throws NodeException {
        return first(LOOK, question);
    }

    private JsonNode first(Duration limit, Question question) throws NodeException {
        NodeException last = null;
        for (URI address : addresses()) {
            try {
                return question.to(new NodeClient(address, limit));
            } catch (NodeException.Unreachable | NodeException.Unavailable e) {
                // A node cut off from the database knows less than the other one.
                last = e;
            }
        }
        throw last;
    }

    /** The first node that answers, for a command whose requests must all go to one node. */
    public URI answering() throws NodeException {
        NodeException last = null;
        for (URI address : addresses()) {
            try {
                new NodeClient(address, LOOK).get("/api/v1/cluster/self");
                return address;
            } catch (NodeException.Unreachable e) {
                last = e;
            }
        }
        throw last;
    }

    public List<URI> addresses() {
        if (addresses == null) {
            ClientTls.use(authorities, certificate, key);
            addresses = configured().stream().map(this::address).toList();
        }
        return addresses;
    }

    private List<String> configured() {
        if (urls != null) {
            return urls;
        }
        return Optional.ofNullable(System.getenv("TWINBELL_URLS"))
                .filter(value -> !value.isBlank())
                .map(value -> Arrays.asList(value.trim().split("\\s*,\\s*")))
                .or(() -> Optional.of(InstalledPair.addresses()).filter(known -> !known.isEmpty()))
                .orElse(List.of("http://127.0.0.1:8081", "http://127.0.0.1:8082"));
    }

    private URI address(String text) {
        try {
            URI address = URI.create(text);
            if (address.getHost() != null) {
                return address;
            }
        } catch (IllegalArgumentException notAUri) {
            // Reported below, together with addresses without a host.
        }
        throw new ParameterException(spec.commandLine(), "Not a node's address such as http://127.0.0.1:8081: " + text);
    }
}
