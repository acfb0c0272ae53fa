package io.twinbell.node.handler.jvm;

import io.twinbell.handler.Callback;
import io.twinbell.node.engine.handler.HandlerCall;
import io.twinbell.node.handler.call.CallContext;
import io.twinbell.node.handler.http.CallbackUrls;
import io.twinbell.node.handler.store.Checkpoints;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.json.StrictJson;
import java.nio.charset.StandardCharsets;

/** The context of one call of a java handler. It also saves checkpoints and parks the execution. */
final class HandlerCallContext extends CallContext {
    private static final int CHECKPOINT_LIMIT = 64 * 1024;

    private final Checkpoints checkpoints;
    private final CallbackUrls callbackUrls;
    private volatile boolean parked;

    HandlerCallContext(HandlerCall call, Checkpoints checkpoints, CallbackUrls callbackUrls) {
        super(call);
        this.checkpoints = checkpoints;
        this.callbackUrls = callbackUrls;
    }

    @Override
    public Callback park() {
        Callback callback = callbackUrls.callback(call.slot(), call.parking().park(call.slot(), call.attempt()));
        parked = true;
        return callback;
    }

    boolean isParked() {
        return parked;
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
