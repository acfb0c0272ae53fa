package io.twinbell.node.handler.call;

import io.twinbell.handler.TaskContext;
import io.twinbell.node.engine.handler.HandlerCall;
import java.time.Instant;

/** Adapts a call to the public {@link TaskContext}, without checkpoints. */
public abstract class CallContext implements TaskContext {
    public final HandlerCall call;

    public CallContext(HandlerCall call) {
        this.call = call;
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
    public String attribute(String name) {
        return call.attributes().get(name);
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
