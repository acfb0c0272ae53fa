package io.twinbell.node.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * What generators of clients stumble over. OpenAPI Generator makes a class that takes any JSON of a schema with an
 * object written in place, so that two classes fit one handler; openapi-typescript requires a property with a default.
 */
class OpenApiTest {
    private final JsonNode document = OpenApiRoutes.document();
    private final List<String> found = new ArrayList<>();

    private Iterable<Map.Entry<String, JsonNode>> schemas() {
        return document.path("components").path("schemas").properties();
    }

    @Test
    void a_closed_schema_has_no_object_in_place() {
        for (Map.Entry<String, JsonNode> schema : schemas()) {
            if (schema.getValue().path("additionalProperties").isBoolean()) {
                for (Map.Entry<String, JsonNode> property :
                        schema.getValue().path("properties").properties()) {
                    noObject(schema.getKey() + "." + property.getKey(), property.getValue());
                }
            }
        }
        assertEquals(List.of(), found);
    }

    private void noObject(String where, JsonNode schema) {
        if (schema.has("properties")) {
            found.add(where);
        }
        noObjectIn(where, schema.path("items"));
        schema.path("oneOf").forEach(choice -> noObjectIn(where, choice));
    }

    private void noObjectIn(String where, JsonNode schema) {
        if (schema.isObject()) {
            noObject(where, schema);
        }
    }

    /** Generators for Python and TypeScript have no type that is nothing but null. */
    @Test
    void no_property_is_only_null() {
        onlyNull("", document);
        assertEquals(List.of(), found);
    }

    private void onlyNull(String where, JsonNode node) {
        for (Map.Entry<String, JsonNode> property : node.path("properties").properties()) {
            if (property.getValue().path("type").asText().equals("null")) {
                found.add(where + "/" + property.getKey());
            }
        }
        if (node.isObject()) {
            node.properties().forEach(member -> onlyNull(where + "/" + member.getKey(), member.getValue()));
        } else {
            node.forEach(item -> onlyNull(where, item));
        }
    }

    @Test
    void the_body_of_a_request_is_a_named_schema() {
        for (JsonNode path : document.path("paths")) {
            for (JsonNode operation : path) {
                for (JsonNode content : operation.path("requestBody").path("content")) {
                    if (content.path("schema").has("properties")) {
                        found.add(operation.path("operationId").asText());
                    }
                }
            }
        }
        assertEquals(List.of(), found);
    }

    @Test
    void no_property_has_a_default_and_each_handler_has_a_type_of_its_own() {
        for (Map.Entry<String, JsonNode> schema : schemas()) {
            noDefault(schema.getKey(), schema.getValue());
        }
        assertEquals(List.of(), found);
        TreeSet<String> types = new TreeSet<>();
        JsonNode handlers = document.at("/components/schemas/Handler/oneOf");
        for (JsonNode handler : handlers) {
            JsonNode named = document.at(handler.path("$ref").asText().substring(1));
            assertEquals(1, named.at("/properties/type/enum").size());
            types.add(named.at("/properties/type/enum/0").asText());
        }
        assertTrue(handlers.size() > 1);
        assertEquals(handlers.size(), types.size());
    }

    /** The generator for Go makes a constant of each value, all in one name space. */
    @Test
    void no_two_named_enumerations_share_a_value() {
        TreeSet<String> values = new TreeSet<>();
        for (Map.Entry<String, JsonNode> schema : schemas()) {
            for (JsonNode value : schema.getValue().path("enum")) {
                if (!values.add(value.asText())) {
                    found.add(schema.getKey() + "." + value.asText());
                }
            }
        }
        assertTrue(values.contains("SUCCEEDED"));
        assertEquals(List.of(), found);
    }

    /** Each generated client has classes of its own with these names. */
    @Test
    void no_schema_has_the_name_of_a_class_of_the_generators() {
        for (String taken : List.of("ApiClient", "ApiException", "ApiResponse", "Configuration", "Pair")) {
            assertFalse(document.at("/components/schemas").has(taken), taken);
        }
    }

    /** The generator for Java makes a set of such an array, and then reads it as one of texts. */
    @Test
    void no_array_of_an_enumeration_in_place_is_a_set() {
        int arrays = 0;
        for (JsonNode array : document.findParents("items")) {
            if (array.path("items").has("enum")) {
                arrays++;
                assertFalse(array.has("uniqueItems"), array::toString);
            }
        }
        assertTrue(arrays > 0);
    }

    private void noDefault(String where, JsonNode schema) {
        if (schema.has("default") && !schema.path("default").has("type")) {
            found.add(where);
        }
        schema.properties().forEach(member -> noDefault(where + "." + member.getKey(), member.getValue()));
    }
}
