package io.twinbell.node.pair.view;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.ha.latch.Peer;
import io.twinbell.node.api.cluster.PairState;
import io.twinbell.node.http.BoundedAnswer;
import io.twinbell.node.json.PeerJson;
import io.twinbell.node.tls.LiveTls;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;

/** Asks the other node over HTTP for its view of itself. */
public final class PeerQuery {
    /** A node's view has about one thousand bytes. */
    private static final int MOST_BYTES = 64 * 1024;

    private static final int OK = 200;
    private static final int UNAUTHORIZED = 401;
    private static final Duration BOUND = Duration.ofSeconds(1);

    private final LiveTls tls;
    private final Supplier<Optional<String>> authorization;
    private SSLContext context;
    private HttpClient client;

    /**
     * @param tls the authorities that the other node's certificate must be issued by
     * @param authorization supplies the header by which the other node recognizes this one
     */
    public PeerQuery(LiveTls tls, Supplier<Optional<String>> authorization) {
        this.tls = tls;
        this.authorization = authorization;
    }

    /** A client keeps the certificates that it was made with, so renewed ones need a new client. */
    private synchronized HttpClient client() {
        SSLContext current = tls.client();
        if (client == null || context != current) {
            context = current;
            client = HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .sslContext(current)
                    .connectTimeout(BOUND)
                    .build();
        }
        return client;
    }

    /**
     * Returns the node's own view. If it does not answer within a second, returns only the content of its entry, with
     * the reason.
     */
    PairState.Node ask(Peer peer) {
        if (peer.http().isEmpty()) {
            return silent(peer, "cannot be asked: it has no API (http.enabled is false)");
        }
        try {
            HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(peer.http() + "/api/v1/cluster/self"))
                    .timeout(BOUND);
            authorization.get().ifPresent(header -> request.header("Authorization", header));
            HttpResponse<String> response = BoundedAnswer.send(client(), request.build(), MOST_BYTES, BOUND);
            if (response.statusCode() == UNAUTHORIZED) {
                return silent(peer, "does not recognize this node, whose key in the database it has not read");
            }
            return view(peer, response);
        } catch (JsonProcessingException e) {
            return silent(peer, "does not answer: what listens at " + peer.http() + " sends no JSON");
        } catch (IOException | IllegalArgumentException e) {
            return silent(peer, "does not answer: " + e);
        }
    }

    /**
     * Checks that the answer comes from this node: if the node has just ended, another program may listen at the
     * address in its entry.
     */
    private PairState.Node view(Peer peer, HttpResponse<String> response) throws JsonProcessingException {
        if (response.statusCode() != OK) {
            return silent(peer, "does not answer: " + peer.http() + " sends status " + response.statusCode());
        }
        JsonNode view = PeerJson.read(response.body());
        boolean isView = view.path("id").isTextual()
                && view.path("role").isTextual()
                && view.path("epoch").canConvertToLong();
        if (!isView) {
            return silent(peer, "does not answer: what listens at " + peer.http() + " is not a node");
        }
        if (!view.path("id").textValue().equals(peer.node())) {
            return silent(peer, "does not answer: another node listens at " + peer.http());
        }
        return read(peer, view);
    }

    private static List<String> texts(JsonNode array) {
        List<String> texts = new ArrayList<>();
        array.forEach(text -> texts.add(text.asText()));
        return texts;
    }

    private static PairState.Node silent(Peer peer, String error) {
        return new PairState.Node(
                peer.node(),
                null,
                new PairState.Addresses(peer.http(), peer.jmx()),
                null,
                null,
                null,
                new PairState.Build(peer.incarnation(), peer.version(), null, null),
                null,
                error);
    }

    private static PairState.Node read(Peer peer, JsonNode node) {
        JsonNode age = node.path("heartbeatAgeMillis");
        JsonNode known = node.path("knownSchema");
        return new PairState.Node(
                node.path("id").asText(),
                new PairState.ElectionState(
                        node.path("role").asText(),
                        node.path("epoch").asLong(),
                        node.path("latchHeld").asBoolean(),
                        node.path("paused").asBoolean(),
                        node.path("onHold").asBoolean(),
                        node.path("heldBack").asText(null)),
                new PairState.Addresses(peer.http(), peer.jmx()),
                new PairState.ConnectionStates(
                        node.path("zooKeeper").asText(),
                        node.path("databaseReached").asBoolean(),
                        age.isNumber() ? age.asLong() : null),
                new PairState.FastTakeoverState(
                        node.path("databaseLockHeld").asBoolean(),
                        node.path("fastTakeover").path("reason").asText(null)),
                new PairState.NodeResources(
                        node.path("workers").path("size").asInt(),
                        node.path("workers").path("active").asInt(-1),
                        node.path("workers").path("queued").asInt(),
                        node.path("heapSize").asInt(),
                        node.path("clockOffsetMillis").asLong()),
                new PairState.Build(
                        node.path("incarnation").asText(),
                        node.path("version").asText(),
                        node.path("schema").asText(null),
                        known.isNumber() ? known.asInt() : null),
                new PairState.Firing(
                        node.path("lagMillis").asLong(),
                        node.path("notFiring").asText(null),
                        node.path("slotsInDoubt").asLong(),
                        node.path("standingPauses").asLong(),
                        node.path("parkedRuns").asLong(),
                        texts(node.path("warnings"))),
                null);
    }
}
