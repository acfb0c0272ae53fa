package io.twinbell.tools.client;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;

/** Reads JSON, and YAML, with every digit of its numbers: 1.0 stays 1.0, and 1e400 is not infinite. */
public final class ExactJson {
    /** The API takes numbers of 1,000 digits on either side of the point. */
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

    /** One that refuses a member that an object has twice. */
    public static ObjectMapper strict() {
        return STRICT;
    }

    /** One for another format. */
    public static ObjectMapper mapper(JsonFactory format) {
        ObjectMapper mapper = new ObjectMapper(format);
        mapper.enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS);
        mapper.configure(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES, false);
        return mapper;
    }

    /** Texts, names and numbers may be as long as the API has them. */
    public static StreamReadConstraints constraints() {
        return StreamReadConstraints.builder()
                .maxStringLength(MAX_LENGTH)
                .maxNameLength(MAX_LENGTH)
                .maxNumberLength(MAX_NUMBER_LENGTH)
                .build();
    }
}
