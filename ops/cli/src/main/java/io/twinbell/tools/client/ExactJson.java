package io.twinbell.tools.client;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;

/** Reads JSON and YAML with every digit of a number: 1.0 stays 1.0, and 1e400 is not infinite. */
public final class ExactJson {
    /** The API accepts numbers with 1,000 digits on either side of the decimal point. */
    private static final int MAX_NUMBER_LENGTH = 10_000;

    private static final int MAX_LENGTH = 256 * 1024 * 1024;
    private static final ObjectMapper MAPPER =
            mapper(JsonFactory.builder().streamReadConstraints(constraints()).build());
    private static final ObjectMapper STRICT = mapper(JsonFactory.builder()
            .streamReadConstraints(constraints())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build());

    private ExactJson() {}

    public static ObjectMapper mapper() {
        return MAPPER;
    }

    /** A mapper that rejects duplicate members of an object. */
    public static ObjectMapper strict() {
        return STRICT;
    }

    /**
     * The only value of a text. {@link ObjectMapper#readTree} would ignore what follows the first one.
     *
     * @throws JsonProcessingException also if nothing, or more than one value, is in the text
     */
    public static JsonNode document(String text) throws JsonProcessingException {
        JsonNode read = STRICT.reader()
                .with(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                .readTree(text);
        if (read.isMissingNode()) {
            throw new JsonParseException(null, "the text is empty");
        }
        return read;
    }

    /** A mapper for another format. */
    public static ObjectMapper mapper(JsonFactory format) {
        ObjectMapper mapper = new ObjectMapper(format);
        mapper.enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS);
        mapper.configure(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES, false);
        return mapper;
    }

    /** Limits that admit every text, name and number that the API admits. */
    public static StreamReadConstraints constraints() {
        return StreamReadConstraints.builder()
                .maxStringLength(MAX_LENGTH)
                .maxNameLength(MAX_LENGTH)
                .maxNumberLength(MAX_NUMBER_LENGTH)
                .build();
    }
}
