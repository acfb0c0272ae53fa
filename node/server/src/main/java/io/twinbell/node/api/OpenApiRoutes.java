package io.twinbell.node.api;

import io.javalin.http.Context;
import io.twinbell.node.api.exchange.AccessRule;
import io.twinbell.node.api.exchange.ResponseWriter;
import io.twinbell.node.api.exchange.Route;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;

/** Serves the OpenAPI document, which is written by hand; a test compares it with the routes. */
public final class OpenApiRoutes {
    private final byte[] document = document();

    List<Route> routes() {
        return List.of(Route.get("/openapi.json", AccessRule.OPEN, this::show));
    }

    private void show(Context context) {
        context.contentType(ResponseWriter.JSON).result(document);
    }

    public static byte[] document() {
        try (InputStream resource = OpenApiRoutes.class.getResourceAsStream("openapi.json")) {
            return resource.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
