package io.twinbell.node.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Optional;

/**
 * Values for members that a JSON object may lack.
 *
 * @param levels the nearest level first: it overrides the others
 */
public record MemberDefaults(List<Level> levels) {
    /** No defaults. */
    public static final MemberDefaults NONE = new MemberDefaults(List.of());

    /**
     * The defaults of one origin.
     *
     * @param origin the name of the origin
     * @param values the members that have a default
     */
    public record Level(String origin, ObjectNode values) {}

    /** The default of one member. */
    public record OriginatedValue(String origin, JsonNode value) {}

    public boolean isEmpty() {
        return levels.isEmpty();
    }

    /** Returns the nearest default of a member, which a JSON pointer names. */
    public Optional<OriginatedValue> find(String pointer) {
        for (Level level : levels) {
            JsonNode value = level.values().at(pointer);
            if (!value.isMissingNode() && !value.isNull()) {
                return Optional.of(new OriginatedValue(level.origin(), value));
            }
        }
        return Optional.empty();
    }
}
