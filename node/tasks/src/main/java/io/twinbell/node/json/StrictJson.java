package io.twinbell.node.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.util.JsonParserDelegate;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/**
 * Reads JSON strictly: exactly one document, no duplicate members, and numbers with all their digits. Also writes it.
 */
public final class StrictJson {
    /** Enough for 10,000 tasks: with 75 tokens each, for names and values, they have 750,000. */
    private static final int MAX_TOKENS = 1_000_000;

    private static final int MAX_DEPTH = 200;

    private static final JsonMapper MAPPER = mapper(StreamReadConstraints.defaults())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    /** For external input. */
    private static final JsonMapper BOUNDED = mapper(StreamReadConstraints.builder()
                    .maxNestingDepth(MAX_DEPTH)
                    .maxTokenCount(MAX_TOKENS)
                    .build())
            .build();

    private static JsonMapper.Builder mapper(StreamReadConstraints bounds) {
        return JsonMapper.builder(
                        JsonFactory.builder().streamReadConstraints(bounds).build())
                .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
                .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
                // 1e9 takes three bytes here and ten in the database: sizes are measured on the stored form.
                .enable(JsonGenerator.Feature.WRITE_BIGDECIMAL_AS_PLAIN);
    }

    private StrictJson() {}

    /** @throws InvalidJsonException if the bytes are not exactly one JSON document that the database can store */
    public static JsonNode read(byte[] json) {
        return read(json, TokenMeter.NONE);
    }

    /**
     * @param meter may refuse a document that takes too much memory
     * @throws InvalidJsonException as {@link #read(byte[])}
     */
    public static JsonNode read(byte[] json, TokenMeter meter) {
        return read(() -> BOUNDED.createParser(json), meter, parser -> {
            JsonNode document = BOUNDED.readTree(parser);
            if (document == null || document.isMissingNode()) {
                throw new InvalidJsonException("", "not JSON: the text is empty");
            }
            JsonbCheck.check(document);
            return document;
        });
    }

    /**
     * Reads a list, or an object whose only member is a list named {@code items}.
     *
     * @param most the maximum number of elements
     * @param what the elements, in the plural, for messages
     * @throws InvalidJsonException also at the first element beyond the maximum
     */
    public static ItemList readItems(InputStream json, int most, String what, TokenMeter meter) {
        return read(() -> BOUNDED.createParser(json), meter, parser -> ItemList.read(parser, most, what));
    }

    private interface Source {
        JsonParser open() throws IOException;
    }

    private interface Reading<T> {
        T of(JsonParser parser) throws IOException;
    }

    private static <T> T read(Source source, TokenMeter meter, Reading<T> reading) {
        try (JsonParser parser = new MeteredParser(source.open(), meter)) {
            T document = reading.of(parser);
            if (parser.nextToken() != null) {
                throw new InvalidJsonException("", "not JSON: text follows the document");
            }
            return document;
        } catch (StreamConstraintsException e) {
            throw new InvalidJsonException("", "too large: " + e.getOriginalMessage());
        } catch (JsonProcessingException e) {
            throw new InvalidJsonException("", "not JSON: " + e.getOriginalMessage() + position(e.getLocation()));
        } catch (NumberFormatException e) {
            // Jackson throws it for exponents of more than ten digits.
            throw new InvalidJsonException("", "not JSON that can be stored: a number's exponent is too large");
        } catch (IOException e) {
            throw new InvalidJsonException("", "not JSON: " + e.getMessage());
        }
    }

    /** Reads a stored document, which was checked before. */
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

    /** Writes the document in UTF-8. */
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

    /** A JSON parser that reports the number of tokens read, a few thousand at a time. */
    private static final class MeteredParser extends JsonParserDelegate {
        private static final int REPORTED_AT_ONCE = 4096;

        private final TokenMeter meter;
        private int unreported;

        MeteredParser(JsonParser parser, TokenMeter meter) {
            super(parser);
            this.meter = meter;
        }

        @Override
        public JsonToken nextToken() throws IOException {
            if (++unreported == REPORTED_AT_ONCE) {
                unreported = 0;
                meter.read(REPORTED_AT_ONCE);
            }
            return delegate.nextToken();
        }
    }

    /** Counts the tokens of a document while it is read, and may refuse the rest to bound memory. */
    @FunctionalInterface
    public interface TokenMeter {
        /** Never refuses. */
        TokenMeter NONE = tokens -> {};

        /**
         * @param tokens read since the last call
         * @throws RuntimeException to refuse the document
         */
        void read(int tokens);
    }
}
