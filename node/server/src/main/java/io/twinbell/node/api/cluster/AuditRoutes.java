package io.twinbell.node.api.cluster;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.javalin.http.Context;
import io.twinbell.node.access.Permission;
import io.twinbell.node.api.exchange.AccessRule;
import io.twinbell.node.api.exchange.AccessRule.AppScope;
import io.twinbell.node.api.exchange.Caller;
import io.twinbell.node.api.exchange.QueryParameters;
import io.twinbell.node.api.exchange.ResponseWriter;
import io.twinbell.node.api.exchange.Route;
import io.twinbell.node.audit.store.AuditEntry;
import io.twinbell.node.audit.store.AuditReader;
import io.twinbell.node.audit.store.AuditReader.AuditAct;
import io.twinbell.node.audit.store.AuditReader.AuditFilter;
import io.twinbell.node.audit.store.AuditReader.AuditKind;
import io.twinbell.node.audit.store.AuditReader.ChainEnd;
import io.twinbell.node.audit.store.AuditReader.CheckedSeal;
import io.twinbell.node.audit.store.AuditReader.Position;
import io.twinbell.node.json.Instants;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.json.StrictJson;
import java.util.List;

/**
 * Routes that show the audit and check its chain. A principal that is bound to apps sees the entries of its apps. Only
 * admins see changes of tokens and refused attempts.
 */
public final class AuditRoutes {
    private static final String AUDIT = "/api/v1/audit";
    private static final int MAX_SEALS = 100;

    private final AuditReader audit;

    public AuditRoutes(AuditReader audit) {
        this.audit = audit;
    }

    public List<Route> routes() {
        return List.of(
                Route.get(
                        AUDIT,
                        AccessRule.read(AppScope.APP_IN_QUERY),
                        this::list,
                        "since",
                        "until",
                        "app",
                        "actor",
                        "kind",
                        "object",
                        "act",
                        "outcome",
                        "limit",
                        "after"),
                Route.get(AUDIT + "/seals", AccessRule.read(AppScope.PAIR), this::check, "after", "limit"));
    }

    private enum Outcome {
        DONE,
        REFUSED
    }

    private void list(Context context) {
        QueryParameters query = QueryParameters.of(context);
        Outcome outcome = query.choice("outcome", Outcome.class);
        AuditFilter filter = new AuditFilter(
                query.instant("since"),
                query.instant("until"),
                query.text("app"),
                query.text("actor"),
                query.choice("kind", AuditKind.class),
                query.text("object"),
                query.choice("act", AuditAct.class),
                outcome == null ? null : outcome.name(),
                Caller.of(context).principal().may(Permission.ADMIN));
        int limit = query.limit();
        List<AuditEntry> entries = audit.list(filter, position(query.text("after")), limit);
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        ArrayNode items = json.putArray("items");
        entries.forEach(entry -> items.add(json(entry)));
        AuditEntry last = entries.size() < limit ? null : entries.get(limit - 1);
        json.put("next", last == null ? null : last.atMicros() + "-" + last.id());
        ResponseWriter.json(context, 200, json);
    }

    private static Position position(String cursor) {
        if (cursor != null && !cursor.matches("[0-9]{1,17}-[0-9]{1,18}")) {
            throw QueryParameters.refusal("after", "must be \"next\" of the previous page");
        }
        String[] parts = cursor == null ? null : cursor.split("-");
        return parts == null ? null : new Position(Long.parseLong(parts[0]), Long.parseLong(parts[1]));
    }

    private static ObjectNode json(AuditEntry entry) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("id", entry.id()).put("at", Instants.text(entry.atMicros() / 1000));
        json.put("actor", entry.author().name()).put("channel", entry.author().channel());
        json.put("address", entry.author().address())
                .put("request", entry.author().request());
        json.put("databaseRole", entry.databaseRole());
        json.put("kind", entry.target().kind()).put("object", entry.target().object());
        json.put("app", entry.target().app()).put("name", entry.target().name());
        json.put("act", entry.act()).put("outcome", entry.outcome()).put("items", entry.items());
        json.put("detail", entry.detail());
        putValue(json, "before", entry.values().before());
        putValue(json, "after", entry.values().after());
        return json;
    }

    private static void putValue(ObjectNode json, String member, String value) {
        try {
            json.set(member, value == null ? null : StrictJson.readStored(value));
        } catch (InvalidJsonException e) {
            // Written by hand, as no reader accepts it. An entry stays, and must not hide the others.
            json.put(member, value);
        }
    }

    private void check(Context context) {
        QueryParameters query = QueryParameters.of(context);
        int limit = query.limit(MAX_SEALS);
        Long after = query.id("after");
        List<CheckedSeal> seals = audit.check(after == null ? 0 : after, limit);
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        ArrayNode items = json.putArray("items");
        for (CheckedSeal seal : seals) {
            ObjectNode item = items.addObject();
            item.put("number", seal.number()).put("day", seal.day()).put("entries", seal.entries());
            item.put("chain", seal.chain());
            seal.problems().forEach(item.putArray("problems")::add);
        }
        ChainEnd end = audit.end();
        json.putObject("end")
                .put("unsealed", end.unsealed())
                .put("oldestSeconds", end.oldestSeconds())
                .put("problem", end.problem());
        json.put(
                "next",
                seals.size() < limit ? null : Long.toString(seals.get(limit - 1).number()));
        ResponseWriter.json(context, 200, json);
    }
}
