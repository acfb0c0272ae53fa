package io.twinbell.node.handler.http;

import io.twinbell.node.engine.handler.AttemptReports;
import io.twinbell.node.engine.handler.HandlerCall;
import io.twinbell.node.engine.handler.Parking;
import io.twinbell.node.engine.handler.RunAttributes;
import io.twinbell.node.engine.handler.RunLog;
import io.twinbell.node.handler.config.HandlerConfig;
import io.twinbell.node.handler.config.HostList;
import io.twinbell.node.handler.secret.Secrets;
import io.twinbell.node.task.definition.HandlerSpec;
import io.twinbell.node.template.BodyTemplate;
import io.twinbell.node.template.Template;
import io.twinbell.node.template.UrlTemplate;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Slot;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/** Calls as the engine makes them: attempt 3 of slot 7/2026-03-29T01:00:00.000Z, under epoch 42. */
public final class HttpCalls {
    public static final long FIRE_MILLIS = Instant.parse("2026-03-29T01:00:00Z").toEpochMilli();
    public static final Slot SLOT = new Slot(7, FIRE_MILLIS);
    public static final long NOW_MILLIS = FIRE_MILLIS + 1234;

    private HttpCalls() {}

    public static HttpCaller caller(List<String> allow, Map<String, String> secrets) {
        Map<String, HandlerConfig.Secret> configured = new HashMap<>();
        secrets.forEach((name, value) -> configured.put(name, new HandlerConfig.Secret(value)));
        return scoped(allow, configured);
    }

    static HttpCaller scoped(List<String> allow, Map<String, HandlerConfig.Secret> secrets) {
        HandlerConfig.HttpHandler settings =
                new HandlerConfig.HttpHandler(HostList.of(allow.toArray(String[]::new)), Set.of());
        return new HttpCaller(settings, new Secrets(secrets), () -> NOW_MILLIS);
    }

    public static HandlerCall call(HandlerSpec spec, String data) {
        Epoch epoch = new Epoch(42, new UUID(0, 1), "a", 0);
        return new HandlerCall(
                SLOT,
                "app",
                "name",
                List.of(),
                3,
                epoch,
                spec,
                data,
                NOW_MILLIS,
                null,
                new AttemptReports(),
                new RunAttributes(),
                Parking.NONE,
                new RunLog("app", "name", SLOT, 3, epoch));
    }

    public static HandlerSpec.HttpCall spec(
            String method, String url, Map<String, String> headers, String body, HandlerSpec.HttpRules rules) {
        Map<String, Template> templates = headers.entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, header -> Template.parse(header.getValue())));
        BodyTemplate content = body == null ? null : BodyTemplate.parse(body, headers.get("Content-Type"));
        return new HandlerSpec.HttpCall(method, UrlTemplate.parse(url), templates, content, rules);
    }
}
