package io.twinbell.spring;

import java.util.Map;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/** {@code /actuator/twinbell}: the node, its handlers and recurring tasks, and the recurring tasks that nobody declares. */
@Endpoint(id = "twinbell")
public final class TwinbellEndpoint {
    private final NodeReport report;

    TwinbellEndpoint(NodeReport report) {
        this.report = report;
    }

    /** Returns the current state, from memory. */
    @ReadOperation
    public Map<String, Object> state() {
        return report.everything();
    }
}
