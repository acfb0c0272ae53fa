package io.twinbell.node.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.DoubleNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.time.Duration;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * What the value of a member may be: how it is read and written, and the schema that describes it in OpenAPI.
 *
 * @param schemaName the name of the schema, to which members of this type refer; null if it stands in each member
 * @param bounds the bounds that a schema has no keyword for, as a sentence; may be empty
 * @param reader returns null if the member is absent, or if it collected an error
 * @param schema null if the OpenAPI document has the schema of that name
 * @param members those of an object that are described one by one; else none
 */
public record MemberType<T>(
        Kind kind,
        String schemaName,
        String bounds,
        BiFunction<Fields, String, T> reader,
        Function<T, JsonNode> writer,
        Supplier<ObjectNode> schema,
        List<Member<?>> members) {
    /** What users of the table distinguish. */
    public enum Kind {
        WHOLE,
        DURATION,
        /** One of a few names. */
        CHOICE,
        LIST,
        TEXT,
        OTHER
    }

    private static <T> MemberType<T> simple(
            Kind kind,
            BiFunction<Fields, String, T> reader,
            Function<T, JsonNode> writer,
            Supplier<ObjectNode> schema) {
        return new MemberType<>(kind, null, "", reader, writer, schema, List.of());
    }

    /** A text of 1 to {@code maxLength} characters without control characters. */
    public static MemberType<String> line(int maxLength) {
        return simple(
                Kind.TEXT,
                (fields, name) -> fields.line(name, maxLength),
                TextNode::valueOf,
                () -> typed("string").put("minLength", 1).put("maxLength", maxLength));
    }

    /** As {@link #line}; answers have null for an absent one. */
    public static MemberType<String> lineOrNull(int maxLength) {
        MemberType<String> line = line(maxLength);
        return simple(Kind.TEXT, line.reader, line.writer, () -> orNull(line.schema.get()));
    }

    public static MemberType<Long> whole(long min, long max) {
        return simple(
                Kind.WHOLE,
                (fields, name) -> fields.integer(name, min, max),
                LongNode::valueOf,
                () -> typed("integer").put("minimum", min).put("maximum", max));
    }

    public static MemberType<Double> number(int min, int max) {
        return simple(
                Kind.OTHER,
                (fields, name) -> fields.number(name, min, max),
                DoubleNode::valueOf,
                () -> typed("number").put("minimum", min).put("maximum", max));
    }

    public static MemberType<Boolean> flag() {
        return simple(Kind.OTHER, Fields::bool, BooleanNode::valueOf, () -> typed("boolean"));
    }

    /** An instant, in milliseconds since 1970 UTC. */
    public static MemberType<Long> instant() {
        return new MemberType<>(
                Kind.OTHER,
                "Instant",
                "",
                Fields::instant,
                millis -> TextNode.valueOf(Instants.text(millis)),
                null,
                List.of());
    }

    /** A duration of whole milliseconds. */
    public static MemberType<Duration> duration(Duration min, Duration max) {
        return new MemberType<>(
                Kind.DURATION,
                "Duration",
                (min.isZero() ? "At most " : "From " + min.toMillis() + " ms to ") + text(max) + ".",
                (fields, name) -> fields.duration(name, min, max),
                duration -> TextNode.valueOf(duration.toString()),
                null,
                List.of());
    }

    private static String text(Duration duration) {
        return duration.equals(Duration.ofDays(duration.toDays()))
                ? "P" + duration.toDays() + "D"
                : duration.toString();
    }

    /** A constant of an enum, by its name. */
    public static <E extends Enum<E>> MemberType<E> choice(Class<E> choices) {
        return simple(
                Kind.CHOICE,
                (fields, name) -> fields.choice(name, choices, null),
                choice -> TextNode.valueOf(choice.name()),
                () -> {
                    ObjectNode schema = typed("string");
                    for (E choice : choices.getEnumConstants()) {
                        schema.withArray("enum").add(choice.name());
                    }
                    return schema;
                });
    }

    /**
     * A list, which code of its own reads.
     *
     * @param schemaName may be null
     */
    public static MemberType<JsonNode> list(String schemaName, int minItems, int maxItems, ObjectNode items) {
        return new MemberType<>(
                Kind.LIST,
                schemaName,
                "",
                Fields::json,
                Function.identity(),
                () -> {
                    ObjectNode schema = typed("array");
                    if (minItems > 0) {
                        schema.put("minItems", minItems);
                    }
                    return schema.put("maxItems", maxItems).set("items", items.deepCopy());
                },
                List.of());
    }

    /**
     * A nested object with these members, which code of its own reads.
     *
     * @param schemaName may be null
     */
    public static MemberType<JsonNode> object(String schemaName, String description, List<Member<?>> members) {
        return new MemberType<>(
                Kind.OTHER,
                schemaName,
                "",
                Fields::json,
                Function.identity(),
                () -> typed("object")
                        .put("description", description)
                        .put("additionalProperties", false)
                        .set("properties", Member.properties(members, false)),
                members);
    }

    /**
     * A value that code of its own reads.
     *
     * @param schemaName may be null
     * @param schema null if the OpenAPI document has the schema of that name
     */
    public static MemberType<JsonNode> described(Kind kind, String schemaName, Supplier<ObjectNode> schema) {
        return new MemberType<>(kind, schemaName, "", Fields::json, Function.identity(), schema, List.of());
    }

    /** Adds the schema to those of the OpenAPI document if it has a name, and those of the members. */
    public void describe(ObjectNode schemas) {
        if (schemaName != null && schema != null) {
            schemas.set(schemaName, schema.get());
        }
        members.forEach(member -> member.type().describe(schemas));
    }

    /**
     * Returns the schema as it stands in a member.
     *
     * @param isNullable whether null is a value, too
     */
    ObjectNode inMember(boolean isNullable) {
        if (schemaName == null) {
            return isNullable ? orNull(schema.get()) : schema.get();
        }
        ObjectNode reference = JsonNodeFactory.instance.objectNode().put("$ref", "#/components/schemas/" + schemaName);
        if (!isNullable) {
            return reference;
        }
        ObjectNode either = JsonNodeFactory.instance.objectNode();
        either.putArray("oneOf").add(reference).add(typed("null"));
        return either;
    }

    private static ObjectNode orNull(ObjectNode schema) {
        String type = schema.get("type").asText();
        schema.putArray("type").add(type).add("null");
        return schema;
    }

    /** Returns a schema that so far has a type only. */
    public static ObjectNode typed(String type) {
        return JsonNodeFactory.instance.objectNode().put("type", type);
    }
}
