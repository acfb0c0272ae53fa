package io.twinbell.node.handler.http;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.engine.handler.ErrorCodes;
import io.twinbell.node.engine.handler.HandlerCall;
import io.twinbell.node.engine.handler.HandlerOutcome;
import io.twinbell.node.handler.config.HandlerConfig;
import io.twinbell.node.handler.secret.Secrets;
import io.twinbell.node.json.FieldError;
import io.twinbell.node.task.definition.AlertCall;
import io.twinbell.node.task.definition.HandlerSpec;
import io.twinbell.node.template.HttpUrl;
import io.twinbell.node.template.Template;
import io.twinbell.node.template.TemplateException;
import io.twinbell.node.template.UrlTemplate;
import io.twinbell.persistence.clock.DatabaseClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.hc.core5.concurrent.FutureCallback;

/** The {@code http} handler: runs thousands of concurrent calls on two threads. */
public final class HttpCaller implements AutoCloseable {
    private static final Duration WARM_UP = Duration.ofSeconds(1);
    static final int THOROUGH_WARM_UPS = 3;
    static final int CALLS_OF_THESE = 100;

    private final CallTargets targets;
    private final BlockedPorts ports;
    private final Secrets secrets;
    private final DatabaseClock clock;
    private final CallbackUrls callbackUrls;
    private final CallProfiles profiles;
    private HttpTransport transport;
    private boolean closed;
    private final AtomicInteger warmUps = new AtomicInteger();

    public HttpCaller(HandlerConfig.HttpHandler settings, Secrets secrets, DatabaseClock clock) {
        targets = new CallTargets(settings.allow());
        ports = new BlockedPorts(settings.ports());
        callbackUrls = new CallbackUrls(settings.callbackUrls());
        profiles = new CallProfiles(settings.profiles(), targets, clock);
        this.secrets = secrets;
        this.clock = clock;
    }

    /** The names of this node's profiles. */
    public Set<String> profiles() {
        return profiles.names();
    }

    /**
     * Returns how long the client certificate of one of this node's profiles is still valid, in seconds; negative after its
     * end, null without one.
     */
    public Long certificateSeconds(String profile) {
        return profiles.certificateEnd(profile)
                .map(end -> (end.toEpochMilli() - clock.nowMillis()) / 1000)
                .orElse(null);
    }

    public CompletableFuture<HandlerOutcome> start(HandlerCall call, HandlerSpec.HttpCall spec) {
        Secrets.SecretLookup secretLookup = secrets.ask(call.app(), spec.url().origin());
        return send(
                call.app(),
                spec,
                secretLookup,
                () -> HttpMessage.of(call, spec, secretLookup, clock.nowMillis(), callbackUrls));
    }

    public CompletableFuture<HandlerOutcome> start(AlertCall call) {
        Secrets.SecretLookup secretLookup =
                secrets.ask(null, call.webhook().url().origin());
        return send(null, call.webhook(), secretLookup, () -> HttpMessage.of(call, secretLookup, clock.nowMillis()));
    }

    private CompletableFuture<HandlerOutcome> send(
            String app, HandlerSpec.HttpCall spec, Secrets.SecretLookup secretLookup, Supplier<HttpMessage> filled) {
        String profile = spec.rules().profile();
        Function<HttpUrl, Optional<String>> refusals = receiver -> refusal(profile, app, receiver);
        Optional<String> refusal = refusals.apply(spec.url().origin());
        if (refusal.isPresent()) {
            return notCalled(ErrorCodes.REFUSED, refusal.get());
        }
        HttpMessage message;
        try {
            message = filled.get();
        } catch (TemplateException e) {
            return notCalled(ErrorCodes.REFUSED, e.getMessage());
        }
        HttpTransport chosen = profile == null ? transport() : profiles.transport(profile);
        // Looked at after the connections, which take over new files.
        Optional<String> expired = profile == null ? Optional.empty() : profiles.expired(profile);
        if (expired.isPresent()) {
            return notCalled(ErrorCodes.TLS_FAILED, expired.get());
        }
        return new HttpExchange(chosen, spec.rules(), secretLookup, refusals).begin(message);
    }

    private Optional<String> refusal(String profile, String app, HttpUrl receiver) {
        return ports.refusal(receiver)
                .or(() -> profile == null ? Optional.empty() : profiles.refusal(profile, app, receiver));
    }

    private static CompletableFuture<HandlerOutcome> notCalled(String code, String reason) {
        return CompletableFuture.completedFuture(HandlerOutcome.failed(code, "not called: " + reason, null));
    }

    /** Returns why no attempt of the call could succeed on this node, with JSON pointers relative to the call. */
    public List<FieldError> refusals(String app, JsonNode call) {
        HttpUrl receiver;
        try {
            receiver = UrlTemplate.parseWithSecrets(call.path("url").asText()).origin();
        } catch (TemplateException e) {
            // The reader of the call reports this error.
            return List.of();
        }
        List<FieldError> refusals = new ArrayList<>();
        targets.refusal(receiver.host()).ifPresent(reason -> refusals.add(new FieldError("/url", reason)));
        ports.refusal(receiver).ifPresent(reason -> refusals.add(new FieldError("/url", reason)));
        secretNames(call)
                .forEach((pointer, names) -> names.forEach(name -> secrets.refusal(name, app, receiver)
                        .ifPresent(reason -> refusals.add(new FieldError(pointer, reason)))));
        Optional.ofNullable(call.path("profile").textValue())
                .flatMap(profile -> profiles.refusal(profile, app, receiver))
                .ifPresent(reason -> refusals.add(new FieldError("/profile", reason)));
        unusableKey(app, receiver, call).ifPresent(reason -> refusals.add(new FieldError("/secret/ref", reason)));
        return refusals;
    }

    private Optional<String> unusableKey(String app, HttpUrl receiver, JsonNode call) {
        String name = call.path("secret").path("ref").asText();
        boolean isStandard = HandlerSpec.SignatureScheme.STANDARD_WEBHOOKS
                .name()
                .equals(call.path("signature").asText());
        if (!isStandard
                || !secrets.isConfigured(name)
                || secrets.refusal(name, app, receiver).isPresent()) {
            return Optional.empty();
        }
        try {
            StandardWebhooks.key(name, secrets.ask(app, receiver).value(name));
            return Optional.empty();
        } catch (TemplateException e) {
            return Optional.of(e.getMessage());
        }
    }

    /**
     * Calls a URL as a handler would, one call after the other, and ignores the answers. The first rounds make many
     * calls, until the client's code is compiled: without them a new master's first call in a young process takes a
     * tenth of a second longer.
     */
    public void warmUp(HttpUrl url) {
        int round = warmUps.getAndIncrement();
        warmUp(new HttpMessage("GET", url, Map.of(), Map.of(), null), round < THOROUGH_WARM_UPS ? CALLS_OF_THESE : 1);
    }

    private void warmUp(HttpMessage message, int times) {
        if (times == 0 || isClosed()) {
            return;
        }
        transport().send(message, WARM_UP, 0, new FutureCallback<>() {
            @Override
            public void completed(ReceivedResponse answer) {
                // A node that does not serve yet gets no further calls.
                if (answer.status() / 100 == 2) {
                    warmUp(message, times - 1);
                }
            }

            @Override
            public void failed(Exception cause) {
                // The outcome does not matter.
            }

            @Override
            public void cancelled() {
                // The outcome does not matter.
            }
        });
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    /** Creates the client on first use: a node that makes no calls has no threads for it. */
    private synchronized HttpTransport transport() {
        if (closed) {
            throw new IllegalStateException("this node has stopped");
        }
        if (transport == null) {
            transport = new HttpTransport(CallRoute.direct(targets));
        }
        return transport;
    }

    @Override
    public synchronized void close() {
        closed = true;
        profiles.close();
        if (transport != null) {
            transport.close();
        }
    }

    /** The names of the secrets that a call uses, by the JSON pointer of the place that uses them. */
    private static Map<String, List<String>> secretNames(JsonNode call) {
        Map<String, List<String>> found = new LinkedHashMap<>();
        addSecrets("/url", call.path("url"), found);
        for (Map.Entry<String, JsonNode> header : call.path("headers").properties()) {
            addSecrets("/headers/" + header.getKey().replace("~", "~0").replace("/", "~1"), header.getValue(), found);
        }
        JsonNode signing = call.path("secret").path("ref");
        if (signing.isTextual()) {
            found.put("/secret/ref", List.of(signing.textValue()));
        }
        return found;
    }

    private static void addSecrets(String pointer, JsonNode text, Map<String, List<String>> found) {
        if (!text.isTextual() || !text.textValue().contains("secret.")) {
            return;
        }
        try {
            found.put(pointer, Template.parse(text.textValue()).secrets());
        } catch (TemplateException e) {
            // The reader of the call reports this error.
            found.remove(pointer);
        }
    }
}
