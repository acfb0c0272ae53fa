package io.twinbell.node.json;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.util.JsonParserDelegate;
import java.io.IOException;

/** A JSON parser that reports the number of tokens read, a few thousand at a time. */
final class MeteredParser extends JsonParserDelegate {
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
