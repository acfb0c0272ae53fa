package io.twinbell.node.simulation;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.LoggerFactory;

/**
 * Turns the log off during simulations. Thousands of failovers would be logged, and the timeline of a failed seed shows
 * more.
 */
final class Quietly implements BeforeAllCallback, AfterAllCallback {
    private static final Logger LOG = (Logger) LoggerFactory.getLogger("io.twinbell");

    @Override
    public void beforeAll(ExtensionContext context) {
        LOG.setLevel(Level.OFF);
    }

    @Override
    public void afterAll(ExtensionContext context) {
        LOG.setLevel(null);
    }
}
