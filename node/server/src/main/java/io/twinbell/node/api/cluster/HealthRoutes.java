package io.twinbell.node.api.cluster;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.javalin.http.Context;
import io.twinbell.node.api.cluster.ClusterView.Readiness;
import io.twinbell.node.api.exchange.AccessRule;
import io.twinbell.node.api.exchange.AccessRule.AppScope;
import io.twinbell.node.api.exchange.Caller;
import io.twinbell.node.api.exchange.ResponseWriter;
import io.twinbell.node.api.exchange.Route;
import java.util.List;

/** Health checks and metrics, for load balancers, monitors and scripts. None of them waits for another process. */
public final class HealthRoutes {
    private final ClusterView cluster;

    public HealthRoutes(ClusterView cluster) {
        this.cluster = cluster;
    }

    public List<Route> routes() {
        return List.of(
                Route.get("/health/live", AccessRule.OPEN, HealthRoutes::live),
                Route.get("/health/ready", AccessRule.OPEN, this::ready),
                Route.get("/health/master", AccessRule.OPEN, this::master),
                Route.get("/metrics", AccessRule.read(AppScope.FILTERED), this::metrics));
    }

    /** Shows only that the process answers. */
    private static void live(Context context) {
        ResponseWriter.json(context, 200, JsonNodeFactory.instance.objectNode().put("live", true));
    }

    private void ready(Context context) {
        Readiness readiness = cluster.ready();
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        body.put("ready", readiness.ok()).put("role", readiness.role());
        ArrayNode reasons = body.putArray("reasons");
        readiness.reasons().forEach(reasons::add);
        ResponseWriter.json(context, readiness.ok() ? 200 : 503, body);
    }

    private void master(Context context) {
        Readiness master = cluster.master();
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        boolean isMaster = master.role().equals("MASTER");
        body.put("master", isMaster).put("firing", master.ok());
        ArrayNode reasons = body.putArray("reasons");
        master.reasons().forEach(reasons::add);
        ResponseWriter.json(context, master.ok() ? 200 : 503, body);
    }

    private void metrics(Context context) {
        context.contentType("text/plain; version=0.0.4; charset=utf-8")
                .result(VisibleMetrics.of(Caller.of(context).principal(), cluster.metricsText()));
    }
}
