package io.twinbell.node.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.javalin.http.Context;
import io.twinbell.node.api.exchange.AccessRule;
import io.twinbell.node.api.exchange.ResponseWriter;
import io.twinbell.node.api.exchange.Route;
import io.twinbell.node.json.Member;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.task.reader.TaskMembers;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Serves the OpenAPI document. The file {@code openapi.json} is written by hand, and a test compares it with the
 * routes; the members of a task come from {@link TaskMembers}.
 */
public final class OpenApiRoutes {
    /** Made with the first request, because few nodes are ever asked. Made twice by requests that meet: no harm. */
    private volatile byte[] document;

    List<Route> routes() {
        return List.of(Route.get("/openapi.json", AccessRule.OPEN, this::show));
    }

    private void show(Context context) {
        if (document == null) {
            document = StrictJson.bytes(document());
        }
        context.contentType(ResponseWriter.JSON).result(document);
    }

    /** Returns the whole document. */
    public static ObjectNode document() {
        ObjectNode document = read();
        ObjectNode schemas = (ObjectNode) document.at("/components/schemas");
        properties(schemas, "TaskInput").setAll(Member.properties(TaskMembers.ALL, true));
        properties(schemas, "TaskPatch").setAll(Member.properties(TaskMembers.ALL, true));
        properties(schemas, "Task").setAll(Member.properties(TaskMembers.ALL, false));
        properties(schemas, "TaskDefaultsInput").setAll(Member.properties(TaskMembers.WITH_DEFAULTS, false));
        properties(schemas, "TaskDefaults").setAll(Member.properties(TaskMembers.WITH_DEFAULTS, false));
        TaskMembers.ALL.forEach(member -> member.type().describe(schemas));
        return document;
    }

    private static ObjectNode properties(ObjectNode schemas, String schema) {
        return (ObjectNode) schemas.get(schema).get("properties");
    }

    private static ObjectNode read() {
        try (InputStream resource = OpenApiRoutes.class.getResourceAsStream("openapi.json")) {
            return (ObjectNode) StrictJson.readStored(new String(resource.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
