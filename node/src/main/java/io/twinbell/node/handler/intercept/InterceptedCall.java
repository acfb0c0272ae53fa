package io.twinbell.node.handler.intercept;

import io.twinbell.handler.InterceptedRun;
import io.twinbell.node.handler.call.HandlerCall;
import io.twinbell.node.task.definition.HandlerSpec;
import java.time.Instant;
import java.util.List;

/** Presents a call to interceptors. */
record InterceptedCall(HandlerCall call) implements InterceptedRun {
    @Override
    public List<String> tags() {
        return call.tags();
    }

    @Override
    public String handlerType() {
        return call.spec().type();
    }

    @Override
    public String handlerKey() {
        return call.spec() instanceof HandlerSpec.JavaCode code ? code.key() : null;
    }

    @Override
    public void attribute(String name, String value) {
        call.attributes().put(name, value);
    }

    @Override
    public String attribute(String name) {
        return call.attributes().get(name);
    }

    @Override
    public long taskId() {
        return call.slot().taskId();
    }

    @Override
    public String app() {
        return call.app();
    }

    @Override
    public String name() {
        return call.name();
    }

    @Override
    public Instant fireTime() {
        return Instant.ofEpochMilli(call.slot().fireTimeMillis());
    }

    @Override
    public String idempotencyKey() {
        return call.slot().idempotencyKey();
    }

    @Override
    public int attempt() {
        return call.attempt();
    }

    @Override
    public long epoch() {
        return call.epoch().number();
    }

    @Override
    public String data() {
        return call.data();
    }

    @Override
    public void progress(double fraction, String message) {
        call.attemptReports().progress(fraction, message);
    }

    @Override
    public void log(String line) {
        call.attemptReports().log(line);
    }
}
