package io.twinbell.node.api.exchange;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.javalin.http.Context;
import io.twinbell.node.api.server.RequestMemory;
import io.twinbell.node.json.ControlCharacterCheck;
import io.twinbell.node.json.FieldError;
import io.twinbell.node.json.Fields;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.json.ItemList;
import io.twinbell.node.json.StrictJson;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Reads the JSON body of a request, up to a bound. */
public final class RequestBody {
    public static final int MAX_BYTES = 256 * 1024;
    static final int MAX_CALENDAR_BYTES = 1024 * 1024;
    public static final int MAX_BATCH_BYTES = 16 * 1024 * 1024;

    private static final int BYTES_OF_A_TOKEN = 48;
    private static final Set<String> READS_AND_REMOVALS = Set.of("GET", "HEAD", "DELETE");
    private static final String JSON = "application/json";
    private static final String CALENDAR_FILE = "text/calendar";
    private static final String MERGE_PATCH = "application/merge-patch+json";

    private RequestBody() {}

    /** The maximum length of the request's body, in bytes; 0 if it must have none. */
    public static int longest(String method, String path) {
        if (READS_AND_REMOVALS.contains(method)) {
            return 0;
        }
        if (path == null || path.startsWith(ApiPaths.TASKS + "/batch")) {
            return MAX_BATCH_BYTES;
        }
        return path.startsWith(ApiPaths.CALENDARS + "/") ? MAX_CALENDAR_BYTES : MAX_BYTES;
    }

    /** Ends the reading of a body: refuses it with all its errors, also of members that nobody has read. */
    public static void end(Fields fields, List<FieldError> errors) {
        fields.refuseUnknown();
        if (!errors.isEmpty()) {
            throw new InvalidJsonException(errors);
        }
    }

    public static ObjectNode object(Context context) {
        return object(read(context, MAX_BYTES, List.of(JSON)));
    }

    public static ObjectNode mergePatch(Context context) {
        return object(read(context, MAX_BYTES, List.of(JSON, MERGE_PATCH)));
    }

    public static ObjectNode calendar(Context context) {
        return object(read(context, MAX_CALENDAR_BYTES, List.of(JSON, CALENDAR_FILE)));
    }

    public static boolean isCalendarFile(Context context) {
        return type(context).equals(CALENDAR_FILE);
    }

    public static byte[] calendarFile(Context context) {
        return bytes(context, MAX_CALENDAR_BYTES);
    }

    /** Returns the items of a batch, read one by one. */
    public static ItemList items(Context context, int most, String what) {
        checkType(context, List.of(JSON));
        return StrictJson.readItems(context.bodyInputStream(), most, what, meter(context));
    }

    /**
     * Counts the parsed document's memory in addition to its bytes: {@code {}} has two tokens and takes eighty bytes
     * of memory.
     */
    private static StrictJson.TokenMeter meter(Context context) {
        RequestMemory memory = context.req().getAttribute(RequestMemory.ATTRIBUTE) instanceof RequestMemory found
                ? found
                : RequestMemory.NONE;
        return tokens -> {
            if (!memory.tryTake((long) tokens * BYTES_OF_A_TOKEN)) {
                throw new ProblemException(
                        ProblemType.OVERLOADED,
                        "the requests in progress use all the memory for request bodies; send the request again, or"
                                + " in smaller parts");
            }
        };
    }

    /**
     * Returns the body as an object. An empty body counts as an empty object and needs no content type. So does null,
     * which generated clients send for a body that the program has not given.
     */
    public static ObjectNode objectIfAny(Context context) {
        byte[] bytes = bytes(context, MAX_BYTES);
        if (bytes.length == 0) {
            if (!type(context).isEmpty()) {
                checkType(context, List.of(JSON));
            }
            return JsonNodeFactory.instance.objectNode();
        }
        checkType(context, List.of(JSON));
        JsonNode body = StrictJson.read(bytes, meter(context));
        return body.isNull() ? JsonNodeFactory.instance.objectNode() : object(body);
    }

    private static JsonNode read(Context context, int limit, List<String> types) {
        byte[] bytes = bytes(context, limit);
        checkType(context, types);
        return StrictJson.read(bytes, meter(context));
    }

    private static ObjectNode object(JsonNode body) {
        if (body instanceof ObjectNode object) {
            ControlCharacterCheck.check(object);
            return object;
        }
        throw new InvalidJsonException("", "must be a JSON object");
    }

    private static void checkType(Context context, List<String> types) {
        String type = type(context);
        if (!types.contains(type)) {
            throw new ProblemException(
                    ProblemType.UNSUPPORTED_MEDIA_TYPE,
                    "send the header Content-Type: " + String.join(" or ", types)
                            + (type.isEmpty() ? "; there was none" : "; it was " + type));
        }
    }

    private static String type(Context context) {
        String given = context.contentType() == null ? "" : context.contentType();
        return given.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
    }

    private static byte[] bytes(Context context, int limit) {
        try {
            InputStream body = context.bodyInputStream();
            byte[] bytes = body.readNBytes(limit + 1);
            if (bytes.length > limit) {
                throw new ProblemException(ProblemType.PAYLOAD_TOO_LARGE, "the body has more than " + limit + " bytes");
            }
            return bytes;
        } catch (IOException e) {
            throw new ProblemException(ProblemType.INVALID_REQUEST, "the body ended early");
        }
    }
}
