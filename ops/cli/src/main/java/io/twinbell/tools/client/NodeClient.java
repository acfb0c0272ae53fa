package io.twinbell.tools.client;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.twinbell.node.http.BoundedAnswer;
import io.twinbell.node.json.ControlCharacters;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLException;

/** HTTP client for one node. Every call ends within its limit, also if the node is frozen. */
public final class NodeClient {
    /** Limit of an answer. A page of a thousand tasks with large payloads has about ten million bytes. */
    private static final int MOST_BYTES = 64 * 1024 * 1024;

    private static final ObjectMapper JSON = ExactJson.mapper();

    private static final String NO_CERTIFICATE = "it closed the connection, and this client has no certificate; --cert"
            + " and --key, or TWINBELL_CERT and TWINBELL_KEY, name one that http.tls.clientCertificates may require";
    private static final int UNAVAILABLE = 503;
    private static final int MISSING = 404;

    private final URI url;
    private final Duration limit;
    private final TokenSource tokens;

    /** @param limit how long an answer may take */
    public NodeClient(URI url, Duration limit) {
        this(url, limit, TokenSource.USUAL);
    }

    /**
     * @param limit how long an answer may take
     * @param tokens where the token for this node comes from
     */
    public NodeClient(URI url, Duration limit, TokenSource tokens) {
        this.url = url;
        this.limit = limit;
        this.tokens = tokens;
    }

    public JsonNode get(String path) throws NodeException {
        return send(request(path).GET());
    }

    /**
     * The pair as the database records it.
     *
     * @throws NodeException.Unavailable if the node cannot read the records and reports only what it remembers
     */
    public JsonNode recordedPair() throws NodeException {
        JsonNode pair = get("/api/v1/cluster");
        if (pair.path("history").isNull()) {
            throw new NodeException.Unavailable(
                    url + ": " + pair.at("/failoverReady/reasons/0").asText());
        }
        return pair;
    }

    /** The answer as text, for answers that are not JSON. */
    public String text(String path) throws NodeException {
        HttpResponse<String> response = exchange(request(path).GET());
        checked(response, MissingNode.getInstance());
        return response.body();
    }

    /** Empty if the node answers that the resource does not exist. */
    public Optional<JsonNode> find(String path) throws NodeException {
        try {
            return Optional.of(get(path));
        } catch (NodeException.Missing e) {
            return Optional.empty();
        }
    }

    public JsonNode post(String path) throws NodeException {
        return send(request(path).POST(BodyPublishers.ofString("{}")));
    }

    public JsonNode post(String path, JsonNode body) throws NodeException {
        return send(request(path).POST(BodyPublishers.ofString(body.toString())));
    }

    /** The same with an already serialized body. */
    public JsonNode postText(String path, String json) throws NodeException {
        return send(request(path).POST(BodyPublishers.ofString(json)));
    }

    public JsonNode put(String path, JsonNode body) throws NodeException {
        return send(request(path).PUT(BodyPublishers.ofString(body.toString())));
    }

    /** @param type the media type of the text */
    public JsonNode put(String path, String type, String text) throws NodeException {
        return send(request(path).setHeader("Content-Type", type).PUT(BodyPublishers.ofString(text)));
    }

    /** @param patch a merge patch (RFC 7396) */
    public JsonNode patch(String path, JsonNode patch) throws NodeException {
        return send(request(path)
                .setHeader("Content-Type", "application/merge-patch+json")
                .method("PATCH", BodyPublishers.ofString(patch.toString())));
    }

    public JsonNode delete(String path) throws NodeException {
        return send(request(path).DELETE());
    }

    /**
     * Posts what a receiver reports of an execution.
     *
     * @param token the token that the call to the receiver carried
     * @return the status of the answer
     */
    public int postCallback(String path, String token, JsonNode body) throws NodeException {
        return exchange(callback(path, token, body)).statusCode();
    }

    private HttpRequest.Builder callback(String path, String token, JsonNode body) throws NodeException {
        return request(path).header("Twinbell-Callback-Token", token).POST(BodyPublishers.ofString(body.toString()));
    }

    private HttpRequest.Builder request(String path) throws NodeException {
        HttpRequest.Builder request = HttpRequest.newBuilder(url.resolve(path))
                .timeout(limit)
                .header("Content-Type", "application/json")
                .header("User-Agent", "twinbell-cli");
        try {
            tokens.token(url).ifPresent(token -> request.header("Authorization", "Bearer " + token));
        } catch (IOException e) {
            throw new NodeException.Refused(e.getMessage(), List.of());
        }
        return request;
    }

    private JsonNode send(HttpRequest.Builder request) throws NodeException {
        HttpResponse<String> response = exchange(request);
        return checked(response, parse(response.body()));
    }

    private HttpResponse<String> exchange(HttpRequest.Builder request) throws NodeException {
        try {
            return BoundedAnswer.send(ClientTls.http(), request.build(), MOST_BYTES, limit);
        } catch (IOException e) {
            throw new NodeException.Unreachable(
                    "No answer from " + url + ": " + (ClientTls.lacksCertificate(url, e) ? NO_CERTIFICATE : reason(e)),
                    e);
        }
    }

    private JsonNode checked(HttpResponse<String> response, JsonNode body) throws NodeException {
        if (response.statusCode() / 100 == 2) {
            return body;
        }
        String said = url + " answered " + response.statusCode() + problem(body);
        throw switch (response.statusCode()) {
            case UNAVAILABLE -> new NodeException.Unavailable(said);
            case MISSING -> new NodeException.Missing(said);
            default -> new NodeException.Refused(said, NodeException.MemberError.allOf(body));
        };
    }

    /** A refused connection has no message of its own. */
    private static String reason(IOException e) {
        if (e instanceof SSLException) {
            return "no TLS connection (" + e.getMessage()
                    + "); --ca or TWINBELL_CA names the authority of the nodes' certificates";
        }
        return e.getMessage() == null ? "it accepts no connections" : e.getMessage();
    }

    private static JsonNode parse(String body) {
        try {
            return JSON.readTree(body);
        } catch (JsonProcessingException notJson) {
            // For example a proxy's page; the status code says enough.
            return MissingNode.getInstance();
        }
    }

    /** The message of a problem+json answer (RFC 9457) or a health check, if it has one. */
    private static String problem(JsonNode body) {
        StringBuilder text = new StringBuilder();
        for (String member : new String[] {"title", "detail"}) {
            if (body.hasNonNull(member)) {
                text.append(": ")
                        .append(ControlCharacters.spaced(body.get(member).asText()));
            }
        }
        body.path("reasons").forEach(why -> text.append(": ").append(ControlCharacters.spaced(why.asText())));
        return text.toString();
    }
}
