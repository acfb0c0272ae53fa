package io.twinbell.node.json;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/**
 * A member of a JSON object that users write. Requests are read by it, and the OpenAPI document, the console and the
 * options of commands take its description from it.
 *
 * @param standard the value of an absent member; null if an absent member has no value, or one that depends on others
 * @param absence what is true without the member, to complete "Default: "; null if the default is {@code standard}, or
 *     if there is nothing to say
 * @param sentence what the member does, in full sentences; null if the schema of its type says it
 */
public record Member<T>(String name, MemberType<T> type, T standard, String absence, String sentence) {
    /** A member with a default, which a stored object has, too. */
    public static <T> Member<T> standard(String name, MemberType<T> type, T standard, String sentence) {
        return new Member<>(name, type, standard, null, sentence);
    }

    /** A member that may be absent from a stored object, too. */
    public static <T> Member<T> optional(String name, MemberType<T> type, String absence, String sentence) {
        return new Member<>(name, type, null, absence, sentence);
    }

    /** A member whose absence needs no words. */
    public static <T> Member<T> optional(String name, MemberType<T> type, String sentence) {
        return optional(name, type, null, sentence);
    }

    /** Returns the value; null if the member is absent, or if an error was collected. */
    public T given(Fields fields) {
        return type.reader().apply(fields, name);
    }

    /** Returns the value, or its default. */
    public T read(Fields fields) {
        T given = given(fields);
        return given == null ? standard : given;
    }

    /** Returns the value or its default, and writes it into the stored object. */
    public T read(Fields fields, ObjectNode stored) {
        T value = read(fields);
        write(value, stored);
        return value;
    }

    /** Writes the value into the stored object, unless it is null. */
    public void write(T value, ObjectNode stored) {
        if (value != null) {
            stored.set(name, type.writer().apply(value));
        }
    }

    /**
     * Returns the properties of a schema with these members.
     *
     * @param canReset whether null resets a member, as in a patch. The schema says so of lists only: clients that are
     *     generated from it send an empty one for each list that the program has not set.
     */
    public static ObjectNode properties(List<Member<?>> members, boolean canReset) {
        ObjectNode properties = JsonNodeFactory.instance.objectNode();
        members.forEach(member -> properties.set(member.name, member.schema(canReset)));
        return properties;
    }

    private ObjectNode schema(boolean canReset) {
        ObjectNode schema = type.inMember(canReset && type.kind() == MemberType.Kind.LIST);
        String description = description();
        return description.isEmpty() ? schema : schema.put("description", description);
    }

    /** Returns what the member does, its bounds, and its default. */
    public String description() {
        StringBuilder text = new StringBuilder(sentence == null ? "" : sentence);
        if (!type.bounds().isEmpty()) {
            text.append(text.isEmpty() ? "" : " ").append(type.bounds());
        }
        String otherwise = absence == null && standard != null
                ? type.writer().apply(standard).asText()
                : absence;
        if (otherwise != null) {
            text.append(text.isEmpty() ? "" : " ")
                    .append("Default: ")
                    .append(otherwise)
                    .append('.');
        }
        return text.toString();
    }
}
