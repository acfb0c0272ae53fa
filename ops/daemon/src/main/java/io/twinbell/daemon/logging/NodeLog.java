package io.twinbell.daemon.logging;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.filter.ThresholdFilter;
import ch.qos.logback.classic.pattern.ThrowableProxyConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.encoder.EncoderBase;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.SizeAndTimeBasedRollingPolicy;
import ch.qos.logback.core.util.FileSize;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.config.LogConfig;
import io.twinbell.node.json.Instants;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Sets up the daemon's log as configured. {@code logback.xml} decides which libraries are quiet. */
public final class NodeLog {
    /** The pattern of a text line, with the logging context in braces if there is one. */
    private static final String TEXT =
            "%d{yyyy-MM-dd'T'HH:mm:ss.SSSXXX} %-5level [%thread] %logger{0} - %msg%replace( {%mdc}){' [{][}]$', ''}%n";

    private static final List<String> OWN = List.of("io.twinbell", "twinbell");
    private static final long MEGABYTE = FileSize.MB_COEFFICIENT;

    private final LoggerContext context;
    private final LogConfig config;
    private final String node;

    private NodeLog(LoggerContext context, LogConfig config, String node) {
        this.context = context;
        this.config = config;
        this.node = node;
    }

    /**
     * Applies the configuration from now on.
     *
     * @param node the node id, which is part of the file's name
     * @throws IOException if the directory cannot be written
     */
    public static void setUp(LoggerContext context, LogConfig config, String node) throws IOException {
        new NodeLog(context, config, node).setUp();
    }

    private void setUp() throws IOException {
        Path directory = config.directory();
        if (directory != null) {
            Optional<String> obstacle = config.obstacle();
            if (obstacle.isPresent()) {
                throw new IOException(obstacle.get());
            }
            Files.createDirectories(directory);
        }
        Level level = Level.convertAnSLF4JLevel(config.level());
        OWN.forEach(name -> context.getLogger(name).setLevel(level));
        Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        root.setLevel(level.isGreaterOrEqual(Level.INFO) ? level : Level.INFO);
        root.detachAndStopAllAppenders();
        root.addAppender(console(directory == null ? Level.TRACE : Level.ERROR));
        if (directory != null) {
            root.addAppender(files(directory));
        }
    }

    /**
     * Creates the console appender. With a log directory the console still shows errors, so that the person who starts
     * the node sees why it did not start.
     */
    private ConsoleAppender<ILoggingEvent> console(Level threshold) {
        ThresholdFilter filter = new ThresholdFilter();
        filter.setLevel(threshold.toString());
        filter.start();
        ConsoleAppender<ILoggingEvent> appender = new ConsoleAppender<>();
        appender.setContext(context);
        appender.setName("console");
        appender.setEncoder(encoder());
        appender.addFilter(filter);
        appender.start();
        return appender;
    }

    private RollingFileAppender<ILoggingEvent> files(Path directory) {
        String base = directory.resolve("twinbell-" + node).toString();
        RollingFileAppender<ILoggingEvent> appender = new RollingFileAppender<>();
        appender.setContext(context);
        appender.setName("files");
        appender.setFile(base + ".log");
        appender.setEncoder(encoder());
        SizeAndTimeBasedRollingPolicy<ILoggingEvent> policy = new SizeAndTimeBasedRollingPolicy<>();
        policy.setContext(context);
        policy.setParent(appender);
        policy.setFileNamePattern(base + ".%d{yyyy-MM-dd}.%i.log.gz");
        policy.setMaxFileSize(new FileSize(config.fileMegabytes() * MEGABYTE));
        policy.setTotalSizeCap(new FileSize(config.totalMegabytes() * MEGABYTE));
        policy.setMaxHistory(config.days());
        policy.setCleanHistoryOnStart(true);
        policy.start();
        appender.setRollingPolicy(policy);
        appender.start();
        return appender;
    }

    private Encoder<ILoggingEvent> encoder() {
        Encoder<ILoggingEvent> encoder;
        if (config.format() == LogConfig.Format.JSON) {
            encoder = new JsonLine(node);
        } else {
            PatternLayoutEncoder text = new PatternLayoutEncoder();
            text.setPattern(TEXT);
            encoder = text;
        }
        encoder.setContext(context);
        encoder.start();
        return encoder;
    }

    /**
     * Formats each log event as one line of JSON: time, level, logger, thread, message, node, the logging context, and a
     * stack trace as {@code error}.
     */
    private static final class JsonLine extends EncoderBase<ILoggingEvent> {
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
}
