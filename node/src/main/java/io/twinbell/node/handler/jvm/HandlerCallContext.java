package io.twinbell.node.handler.jvm;

import io.twinbell.handler.TaskContext;
import io.twinbell.node.handler.call.HandlerCall;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.json.StrictJson;
import io.twinbell.persistence.ledger.transaction.Checkpoints;
import java.nio.charset.StandardCharsets;
import java.time.Instant;

/** Presents a call to a handler as the public {@link TaskContext}. */
record HandlerCallContext(HandlerCall call, Checkpoints checkpoints) implements TaskContext {
    private static final int CHECKPOINT_LIMIT = 64 * 1024;

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

    @Override
    public void checkpoint(String json) {
        byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > CHECKPOINT_LIMIT) {
            throw new IllegalArgumentException(
                    "a checkpoint has at most " + CHECKPOINT_LIMIT + " bytes, not " + bytes.length);
        }
        try {
            StrictJson.read(bytes);
        } catch (InvalidJsonException e) {
            throw new IllegalArgumentException("the checkpoint is not JSON: " + e.getMessage(), e);
        }
        if (!checkpoints.save(call.epoch(), call.slot(), call.attempt(), json)) {
            throw new IllegalStateException("the checkpoint is not saved: attempt " + call.attempt() + " of "
                    + idempotencyKey() + " is over, or another node has taken over");
        }
    }

    @Override
    public String lastCheckpoint() {
        return checkpoints.read(call.slot());
    }
}
