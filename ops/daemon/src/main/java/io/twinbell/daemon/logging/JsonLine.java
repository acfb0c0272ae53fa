package io.twinbell.daemon.logging;

import ch.qos.logback.classic.pattern.ThrowableProxyConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.encoder.EncoderBase;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.json.Instants;
import java.nio.charset.StandardCharsets;

/**
 * Formats each log event as one line of JSON: time, level, logger, thread, message, node, the logging context, and a
 * stack trace as {@code error}.
 */
final class JsonLine extends EncoderBase<ILoggingEvent> {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final byte[] NONE = new byte[0];

    private final ThrowableProxyConverter stack = new ThrowableProxyConverter();
    private final String node;

    JsonLine(String node) {
        this.node = node;
    }

    @Override
    public void start() {
        stack.start();
        super.start();
    }

    @Override
    public byte[] headerBytes() {
        return NONE;
    }

    @Override
    public byte[] encode(ILoggingEvent event) {
        ObjectNode line = JSON.createObjectNode();
        line.put("time", Instants.text(event.getTimeStamp()));
        line.put("level", event.getLevel().toString());
        line.put("logger", event.getLoggerName());
        line.put("thread", event.getThreadName());
        line.put("message", event.getFormattedMessage());
        line.put("node", node);
        event.getMDCPropertyMap().forEach(line::put);
        if (event.getThrowableProxy() != null) {
            line.put("error", stack.convert(event));
        }
        try {
            return (JSON.writeValueAsString(line) + "\n").getBytes(StandardCharsets.UTF_8);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("cannot write a log line as JSON", e);
        }
    }

    @Override
    public byte[] footerBytes() {
        return NONE;
    }
}
