package io.twinbell.node.api.exchange;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.javalin.http.Context;
import io.twinbell.node.json.StrictJson;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Writes HTTP responses. */
public final class ResponseWriter {
    /** JSON is always UTF-8; the charset is declared because some clients assume another one. */
    public static final String JSON = "application/json;charset=utf-8";

    private ResponseWriter() {}

    public static void json(Context context, int status, JsonNode body) {
        context.status(status).contentType(JSON).result(StrictJson.bytes(body));
    }

    public static void created(Context context, String location, JsonNode body) {
        context.header("Location", location);
        json(context, 201, body);
    }

    /**
     * Writes a list under {@code items}, with further members beside it. The items are serialized one by one, so that
     * only their bytes stay in memory.
     *
     * @param beside supplies the further members; called after all items are written
     */
    public static void list(Context context, Stream<ObjectNode> items, Supplier<ObjectNode> beside) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.writeBytes("{\"items\":[".getBytes(StandardCharsets.UTF_8));
        boolean isFirst = true;
        for (ObjectNode item : (Iterable<ObjectNode>) items::iterator) {
            if (!isFirst) {
                bytes.write(',');
            }
            isFirst = false;
            bytes.writeBytes(StrictJson.bytes(item));
        }
        byte[] rest = StrictJson.bytes(beside.get());
        bytes.write(']');
        if (rest.length > 2) {
            bytes.write(',');
        }
        bytes.write(rest, 1, rest.length - 1);
        context.status(200).contentType(JSON).result(bytes.toByteArray());
    }

    /**
     * Writes one page of a list.
     *
     * @param found at most one item more than the page holds; the extra item shows that there is a next page
     * @param cursor returns the cursor of an item; the next page begins after it
     */
    public static <T> void page(
            Context context, List<T> found, int limit, Function<T, JsonNode> json, Function<T, String> cursor) {
        page(context, found, limit, json, cursor, null);
    }

    /**
     * Writes one page of a list that may have been searched in part.
     *
     * @param examined the cursor of the last item that was examined, if there may be more behind it; else null
     */
    public static <T> void page(
            Context context,
            List<T> found,
            int limit,
            Function<T, JsonNode> json,
            Function<T, String> cursor,
            String examined) {
        List<T> page = found.size() > limit ? found.subList(0, limit) : found;
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        ArrayNode items = body.putArray("items");
        page.forEach(item -> items.add(json.apply(item)));
        body.put("next", found.size() > limit ? cursor.apply(page.get(limit - 1)) : examined);
        json(context, 200, body);
    }
}
