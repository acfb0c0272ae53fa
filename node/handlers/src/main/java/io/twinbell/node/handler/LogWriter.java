package io.twinbell.node.handler;

import io.twinbell.node.engine.handler.HandlerCall;
import io.twinbell.node.engine.handler.HandlerOutcome;
import io.twinbell.node.task.definition.HandlerSpec;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The {@code log} handler: writes a line to the node's log, under the logger {@code twinbell.task}. */
final class LogWriter {
    private static final Logger LOG = LoggerFactory.getLogger("twinbell.task");

    HandlerOutcome write(HandlerCall call, HandlerSpec.LogLine line) {
        LOG.info(
                "{}/{} {} attempt {}: {}",
                call.app(),
                call.name(),
                call.slot().fireTime(),
                call.attempt(),
                line.message());
        return HandlerOutcome.succeeded(line.message());
    }
}
