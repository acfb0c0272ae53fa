package io.twinbell.node.api.cluster;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.javalin.http.Context;
import io.twinbell.node.api.exchange.AccessRule;
import io.twinbell.node.api.exchange.ApiPaths;
import io.twinbell.node.api.exchange.AppScope;
import io.twinbell.node.api.exchange.Caller;
import io.twinbell.node.api.exchange.PauseBody;
import io.twinbell.node.api.exchange.QueryParameters;
import io.twinbell.node.api.exchange.RequestBody;
import io.twinbell.node.api.exchange.ResponseWriter;
import io.twinbell.node.api.exchange.Route;
import io.twinbell.node.cluster.store.DrillResult;
import io.twinbell.node.cluster.store.DrillResults;
import io.twinbell.node.json.ControlCharacterCheck;
import io.twinbell.node.json.FieldError;
import io.twinbell.node.json.Fields;
import io.twinbell.node.json.Instants;
import io.twinbell.node.json.InvalidJsonException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;

/** Routes for the results of drills: a drill of this pair enters its result, and both nodes show it. */
public final class DrillRoutes {
    private static final String DRILLS = ApiPaths.CLUSTER + "/drills";
    private static final long LONGEST_GAP = Duration.ofDays(1).toMillis();

    private final DrillResults results;

    public DrillRoutes(DrillResults results) {
        this.results = results;
    }

    public List<Route> routes() {
        return List.of(
                Route.get(DRILLS, AccessRule.read(AppScope.NONE), this::list, "limit", "after"),
                Route.post(DRILLS, AccessRule.operate(AppScope.PAIR), this::add));
    }

    private void list(Context context) {
        QueryParameters query = QueryParameters.of(context);
        Long after = query.id("after");
        int limit = query.limit(DrillResults.KEPT);
        List<DrillResult.Stored> found = results.list(after == null ? Long.MAX_VALUE : after, limit + 1);
        ResponseWriter.page(context, found, limit, DrillRoutes::json, stored -> Long.toString(stored.id()));
    }

    private void add(Context context) {
        DrillResult result = read(RequestBody.object(context));
        String by = Caller.of(context).principal().name();
        ResponseWriter.json(context, 201, json(results.add(result, by)));
    }

    private static DrillResult read(ObjectNode body) {
        List<FieldError> errors = new ArrayList<>();
        Fields fields = Fields.of(body, "", errors);
        String drill = fields.requiredLine("drill", DrillResult.MAX_DRILL);
        fields.required("passed");
        Boolean passed = fields.bool("passed");
        String master = fields.line("master", PauseBody.MAX_NAME);
        String successor = fields.line("successor", PauseBody.MAX_NAME);
        Long epoch = fields.integer("epoch", 0, Long.MAX_VALUE);
        Long gap = fields.integer("gapMillis", 0, LONGEST_GAP);
        String summary = fields.text("summary", DrillResult.MAX_SUMMARY);
        ControlCharacterCheck.checkLines("/summary", summary, errors);
        fields.refuseUnknown();
        if (!errors.isEmpty()) {
            throw new InvalidJsonException(errors);
        }
        return new DrillResult(
                drill,
                passed,
                master,
                successor,
                optional(epoch),
                optional(gap),
                Objects.requireNonNullElse(summary, ""));
    }

    private static OptionalLong optional(Long number) {
        return number == null ? OptionalLong.empty() : OptionalLong.of(number);
    }

    private static ObjectNode json(DrillResult.Stored stored) {
        DrillResult result = stored.result();
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("id", stored.id()).put("at", Instants.text(stored.atMillis())).put("by", stored.by());
        json.put("drill", result.drill()).put("passed", result.passed());
        json.put("master", result.master()).put("successor", result.successor());
        json.put("epoch", boxed(result.epoch())).put("gapMillis", boxed(result.gapMillis()));
        return json.put("summary", result.summary());
    }

    private static Long boxed(OptionalLong number) {
        return number.isPresent() ? (Long) number.getAsLong() : null;
    }
}
