package io.twinbell.node.json;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The items of a list in a JSON document, read one by one. Reading stops at the first item beyond the limit.
 *
 * @param pointer the position of the list in the document
 */
public record ItemList(String pointer, List<JsonNode> items) {
    private static final String MEMBER = "items";

    static ItemList read(JsonParser parser, int most, String what) throws IOException {
        JsonToken first = parser.nextToken();
        if (first == JsonToken.START_ARRAY) {
            return new ItemList("", elements(parser, "", most, what));
        }
        if (first == JsonToken.START_OBJECT) {
            return member(parser, most, what);
        }
        throw new InvalidJsonException("", first == null ? "not JSON: the text is empty" : "must be a list of " + what);
    }

    private static ItemList member(JsonParser parser, int most, String what) throws IOException {
        ItemList list = null;
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String name = parser.currentName();
            if (!name.equals(MEMBER)) {
                throw new InvalidJsonException("/" + Fields.escaped(name), "unknown field");
            }
            String pointer = "/" + MEMBER;
            if (list != null) {
                throw new InvalidJsonException(pointer, "occurs twice");
            }
            if (parser.nextToken() != JsonToken.START_ARRAY) {
                throw new InvalidJsonException(pointer, "must be a list of " + what);
            }
            list = new ItemList(pointer, elements(parser, pointer, most, what));
        }
        if (list == null) {
            throw new InvalidJsonException("/" + MEMBER, "must be a list of " + what);
        }
        return list;
    }

    private static List<JsonNode> elements(JsonParser parser, String pointer, int most, String what)
            throws IOException {
        List<JsonNode> items = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            if (items.size() == most) {
                throw new InvalidJsonException(
                        pointer, "has more than " + most + " " + what + ", the maximum for one request");
            }
            JsonNode item = parser.readValueAsTree();
            JsonbCheck.check(item, pointer + "/" + items.size());
            items.add(item);
        }
        return items;
    }
}
