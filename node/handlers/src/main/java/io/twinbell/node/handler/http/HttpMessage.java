package io.twinbell.node.handler.http;

import io.twinbell.node.engine.handler.HandlerCall;
import io.twinbell.node.handler.secret.Secrets;
import io.twinbell.node.handler.trace.TracedRunner;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.task.definition.AlertCall;
import io.twinbell.node.task.definition.HandlerSpec;
import io.twinbell.node.template.Escape;
import io.twinbell.node.template.HttpUrl;
import io.twinbell.node.template.Template;
import io.twinbell.node.template.Values;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * An outgoing HTTP request.
 *
 * @param body null for none
 * @param confidential headers for the task's own receiver only; a redirect to another origin omits them
 */
record HttpMessage(
        String method, HttpUrl url, Map<String, String> headers, Map<String, String> confidential, byte[] body) {
    private static final Set<String> CREDENTIALS = Set.of("authorization", "cookie", "proxy-authorization");
    private static final byte[] NOTHING = {};

    /** Builds the request of one attempt of a task. */
    static HttpMessage of(
            HandlerCall call,
            HandlerSpec.HttpCall spec,
            Secrets.SecretLookup secrets,
            long nowMillis,
            CallbackUrls callbackUrls) {
        Values values = new Values(
                call.slot().idempotencyKey(),
                call.slot().fireTime(),
                call.attempt(),
                call.data() == null ? null : StrictJson.readStored(call.data()),
                secrets::value);
        Map<String, String> marks = new LinkedHashMap<>();
        marks.put("Idempotency-Key", call.slot().idempotencyKey());
        marks.put("Twinbell-Attempt", Integer.toString(call.attempt()));
        marks.put("Twinbell-Epoch", Long.toString(call.epoch().number()));
        marks.put("Twinbell-Fire-Time", call.slot().fireTime());
        marks.put("Twinbell-Task", Long.toString(call.slot().taskId()));
        TracedRunner.inject(marks);
        CloudEvent event = CloudEvent.of(call.slot(), call.app(), call.name());
        HttpMessage message = of(spec, values, marks, event, secrets, nowMillis);
        if (spec.awaitsCallback()) {
            callbackUrls.describe(
                    call.slot(), call.parking().park(call.slot(), call.attempt()), message.confidential());
        }
        return message;
    }

    /** Builds the request of one attempt to deliver an alert. */
    static HttpMessage of(AlertCall call, Secrets.SecretLookup secrets, long nowMillis) {
        Map<String, String> marks = new LinkedHashMap<>();
        marks.put("Idempotency-Key", call.key());
        marks.put("Twinbell-Attempt", Integer.toString(call.attempt()));
        marks.put("Twinbell-Epoch", Long.toString(call.epoch().number()));
        marks.put("Twinbell-Alert", Escape.inHeader(call.name()));
        Values values = Values.ofAlert(call.alert(), call.attempt(), secrets::value);
        CloudEvent event = CloudEvent.ofAlert(call.key(), call.name(), nowMillis);
        return of(call.webhook(), values, marks, event, secrets, nowMillis);
    }

    /**
     * Fills in the templates of a definition.
     *
     * @param marks Twinbell's own headers
     * @param event what the call announces; its id identifies signed messages too
     * @param nowMillis the time of the signature
     * @throws io.twinbell.node.template.TemplateException if a value or a secret is missing
     */
    private static HttpMessage of(
            HandlerSpec.HttpCall spec,
            Values values,
            Map<String, String> marks,
            CloudEvent event,
            Secrets.SecretLookup secrets,
            long nowMillis) {
        byte[] body = spec.body() == null ? null : spec.body().render(values);
        Map<String, String> headers = new LinkedHashMap<>();
        Map<String, String> confidential = new LinkedHashMap<>();
        spec.headers()
                .forEach((name, template) -> (isConfidential(name, template) ? confidential : headers)
                        .put(name, template.render(values, Escape.HEADER)));
        if (body != null) {
            declareText(spec.body().contentType(), body, headers);
        }
        headers.putAll(marks);
        if (spec.rules().cloudEvents() == HandlerSpec.CloudEventMode.STRUCTURED) {
            body = event.structured(spec.body() == null ? null : spec.body().event(values), headers);
        } else if (spec.rules().cloudEvents() == HandlerSpec.CloudEventMode.BINARY) {
            event.describe(headers);
        }
        if (spec.rules().secret() != null) {
            byte[] signed = body == null ? NOTHING : body;
            long seconds = Math.floorDiv(nowMillis, 1000L);
            confidential.putAll(sign(spec.rules(), secrets, event.id(), Long.toString(seconds), signed));
        }
        return new HttpMessage(spec.method(), spec.url().render(values), headers, confidential, body);
    }

    private static Map<String, String> sign(
            HandlerSpec.HttpRules rules, Secrets.SecretLookup secrets, String id, String timestamp, byte[] body) {
        String secret = secrets.value(rules.secret());
        return switch (rules.signature()) {
            case TWINBELL ->
                Map.of("Twinbell-Timestamp", timestamp, "Twinbell-Signature", Signature.of(secret, timestamp, body));
            case STANDARD_WEBHOOKS ->
                Map.of(
                        "webhook-id",
                        id,
                        "webhook-timestamp",
                        timestamp,
                        "webhook-signature",
                        StandardWebhooks.signature(StandardWebhooks.key(rules.secret(), secret), id, timestamp, body));
        };
    }

    /** Declares the charset of a text with non-ASCII characters, so that the receiver does not have to guess it. */
    private static void declareText(String ifNoneGiven, byte[] body, Map<String, String> headers) {
        if (ifNoneGiven != null) {
            headers.put("Content-Type", ifNoneGiven);
            return;
        }
        for (Map.Entry<String, String> header : headers.entrySet()) {
            String type = header.getValue().toLowerCase(Locale.ROOT);
            if (header.getKey().equalsIgnoreCase("Content-Type")
                    && type.startsWith("text/")
                    && !type.contains("charset")
                    && !isAscii(body)) {
                header.setValue(header.getValue() + "; charset=utf-8");
            }
        }
    }

    private static boolean isAscii(byte[] body) {
        for (byte octet : body) {
            if (octet < 0) {
                return false;
            }
        }
        return true;
    }

    private static boolean isConfidential(String name, Template value) {
        return value.namesSecret() || CREDENTIALS.contains(name.toLowerCase(Locale.ROOT));
    }

    /** Returns the request that follows a redirect, by RFC 9110. The signature is omitted if the body is. */
    HttpMessage redirected(int status, HttpUrl target) {
        Map<String, String> kept = url.hasOriginOf(target) ? confidential : Map.of();
        boolean becomesGet =
                status == 303 && !method.equals("HEAD") || (status == 301 || status == 302) && method.equals("POST");
        if (!becomesGet) {
            return new HttpMessage(method, target, headers, kept, body);
        }
        Map<String, String> withoutContent = new LinkedHashMap<>(headers);
        withoutContent.keySet().removeIf(name -> name.toLowerCase(Locale.ROOT).startsWith("content-"));
        Map<String, String> unsigned = new LinkedHashMap<>(kept);
        unsigned.keySet().removeIf(name -> name.startsWith("Twinbell-") || name.startsWith("webhook-"));
        return new HttpMessage("GET", target, withoutContent, unsigned, null);
    }
}
