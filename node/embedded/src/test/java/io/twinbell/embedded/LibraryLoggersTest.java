package io.twinbell.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class LibraryLoggersTest {
    /** Both warn at each try to connect. */
    @Test
    void an_application_without_zookeeper_is_told_by_the_node_alone() {
        assertEquals(
                List.of("TRACE warned", "ERROR failed"), logged("io.twinbell.shaded.org.apache.zookeeper.ClientCnxn"));
        assertEquals(
                List.of("TRACE warned", "TRACE failed"),
                logged("io.twinbell.shaded.org.apache.curator.ConnectionState"));
        assertEquals(List.of("WARN warned", "ERROR failed"), logged("io.twinbell.shaded.org.flywaydb.core.Flyway"));
    }

    private static List<String> logged(String name) {
        Logger logger = (Logger) LoggerFactory.getLogger(name);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        logger.setLevel(Level.TRACE);
        try {
            LibraryLoggers.getLogger(name).warn("warned");
            LibraryLoggers.getLogger(name).error("failed");
            return lines.list.stream().map(Object::toString).toList().stream()
                    .map(line -> line.replaceAll("[\\[\\]]", ""))
                    .toList();
        } finally {
            logger.detachAppender(lines);
            logger.setLevel(null);
        }
    }
}
