package io.twinbell.node.json;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

/** Reads JSON that a node of the pair has written. A newer build may have added members, so it is read leniently. */
public final class PeerJson {
    /** Made at the first use: the classes of a mapper take a tenth of a second of a young process. */
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private PeerJson() {}

    /** @throws JsonProcessingException if the text is no JSON */
    public static JsonNode read(String json) throws JsonProcessingException {
        return MAPPER.readTree(json);
    }
}
