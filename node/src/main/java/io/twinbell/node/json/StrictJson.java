package io.twinbell.node.json;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * JSON without second guesses: one document, no duplicate members, nothing behind it, and numbers kept to the last digit.
 */
public final class StrictJson {
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            // 1e9 takes three bytes here and ten in the database: sizes are measured on what is stored.
            .enable(JsonGenerator.Feature.WRITE_BIGDECIMAL_AS_PLAIN)
            .build();

    private StrictJson() {}

    /** @throws InvalidJsonException if the bytes are not exactly one JSON document that the database can keep */
    public static JsonNode read(byte[] json) {
        try {
            JsonNode document = MAPPER.readTree(json);
            if (document == null || document.isMissingNode()) {
                throw new InvalidJsonException("", "there is no JSON here");
            }
            Storable.check(document);
            return document;
        } catch (JsonProcessingException e) {
            throw new InvalidJsonException("", "not JSON: " + e.getOriginalMessage() + position(e.getLocation()));
        } catch (IOException e) {
            throw new InvalidJsonException("", "not JSON: " + e.getMessage());
        }
    }

    /** Reads what was checked before it was stored. */
    public static JsonNode readStored(String json) {
        try {
            return MAPPER.readTree(json);
        } catch (IOException e) {
            throw new InvalidJsonException("", "not JSON: " + e.getMessage());
        }
    }

    public static String write(JsonNode document) {
        try {
            return MAPPER.writeValueAsString(document);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The same in UTF-8. */
    public static byte[] bytes(JsonNode document) {
        try {
            return MAPPER.writeValueAsBytes(document);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String position(JsonLocation location) {
        return location == null || location.getLineNr() < 0
                ? ""
                : " (line " + location.getLineNr() + ", column " + location.getColumnNr() + ")";
    }
}
