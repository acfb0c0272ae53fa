package io.twinbell.node.task.reader;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.json.Fields;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Reads lists of error codes, in which {@code HTTP_5*} stands for all codes that begin so, and writes them back. */
public final class ErrorCodeReader {
    private static final Pattern CODE = Pattern.compile(TaskMembers.ERROR_CODE);

    private ErrorCodeReader() {}

    /** Returns the codes; none if the member is absent. */
    public static List<String> read(Fields given, String name) {
        JsonNode list = given.json(name);
        if (list == null) {
            return List.of();
        } else if (!list.isArray() || list.isEmpty() || list.size() > TaskMembers.MAX_CODES) {
            given.error(
                    name,
                    "must be a list of 1 to " + TaskMembers.MAX_CODES + " error codes such as HTTP_503 or HTTP_5*");
            return List.of();
        }
        List<String> codes = new ArrayList<>();
        for (int i = 0; i < list.size(); i++) {
            String code = list.get(i).isTextual() ? list.get(i).textValue() : "";
            if (!CODE.matcher(code).matches()) {
                given.errorBelow(
                        "/" + name + "/" + i,
                        "must be an error code such as HTTP_503, or the beginning of codes such as HTTP_5*");
            }
            codes.add(code);
        }
        return List.copyOf(codes);
    }

    /** Writes the codes, if there are any. */
    public static void write(ObjectNode normalized, String name, List<String> codes) {
        if (!codes.isEmpty()) {
            ArrayNode list = normalized.putArray(name);
            codes.forEach(list::add);
        }
    }
}
