package io.twinbell.node.api.console;

import io.javalin.http.Context;
import io.twinbell.node.api.cluster.ClusterView;
import io.twinbell.node.api.exchange.AccessRule;
import io.twinbell.node.api.exchange.ProblemException;
import io.twinbell.node.api.exchange.ProblemType;
import io.twinbell.node.api.exchange.Route;
import io.twinbell.node.console.ConsoleFiles;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Routes of the web console. Its files are the same for everybody and contain no data. A strict policy lets the browser
 * run and load nothing else, and connect to the two nodes only.
 */
public final class ConsoleRoutes {
    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
            + " base-uri 'none'; form-action 'none'; frame-ancestors 'none'; connect-src 'self'";

    private final ClusterView cluster;

    public ConsoleRoutes(ClusterView cluster) {
        this.cluster = cluster;
    }

    public List<Route> routes() {
        return List.of(
                Route.get("/", AccessRule.OPEN, context -> show(context, ConsoleFiles.START)),
                Route.get("/console/{file}", AccessRule.OPEN, context -> show(context, context.pathParam("file"))));
    }

    private void show(Context context, String name) {
        ConsoleFiles.ConsoleFile file = ConsoleFiles.find(name)
                .orElseThrow(() -> new ProblemException(ProblemType.NOT_FOUND, "the console has no file " + name));
        context.header("Content-Security-Policy", POLICY + addresses());
        context.header("Referrer-Policy", "no-referrer");
        // The browser asks each time whether its copy is current, because an upgrade changes the files.
        context.header("Cache-Control", "no-cache");
        context.header("ETag", file.tag());
        if (file.tag().equals(context.header("If-None-Match"))) {
            context.status(304);
            return;
        }
        context.contentType(file.type()).result(file.content());
    }

    private String addresses() {
        return cluster.addresses().stream()
                .filter(address -> address.matches("https?://[\\w.:\\[\\]-]+"))
                .collect(Collectors.joining(" ", " ", ""));
    }
}
