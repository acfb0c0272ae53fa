package io.twinbell.node.engine.run;

import io.twinbell.node.engine.handler.CallbackToken;
import io.twinbell.persistence.ledger.callback.CallbackStore.CallbackRequest;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The progress of parking one run. A run that has this object ends only after its outcome was written to its parked
 * row, where the first outcome counts.
 */
public final class CallbackState {
    private final String token = CallbackToken.random();
    private final boolean isBeforeCall;
    private final CompletableFuture<CallbackToken> parked = new CompletableFuture<>();
    private final AtomicBoolean called = new AtomicBoolean();
    private volatile boolean isAccepted;

    /** @param isBeforeCall whether its handler is called only once the run is parked */
    CallbackState(boolean isBeforeCall) {
        this.isBeforeCall = isBeforeCall;
    }

    /** The request to the store to park the run. */
    public static CallbackRequest request(Run run) {
        Duration timeout = run.definition().timeout();
        return new CallbackRequest(
                run.slot(),
                run.attempt().attempt(),
                run.startedMicros(),
                CallbackToken.hash(run.callbackState().token),
                timeout.toMillis());
    }

    /**
     * Notes that the run is parked.
     *
     * @param checkpoint null for none
     * @return whether its handler is to be called now
     */
    public boolean parked(String checkpoint) {
        parked.complete(new CallbackToken(token, checkpoint));
        return isBeforeCall;
    }

    /** Notes that the run could not be parked, because its claim or the node's authority is lost. */
    public void refused() {
        parked.completeExceptionally(new IllegalStateException("its claim is no longer this node's"));
    }

    /** Completes when the run is parked. */
    public CompletableFuture<CallbackToken> whenParked() {
        return parked;
    }

    /**
     * Whether the run is parked and its handler was not called yet. Returns true to one caller only, which then calls
     * the handler.
     */
    public boolean takeCall() {
        return isCallDue() && called.compareAndSet(false, true);
    }

    public boolean isCallDue() {
        return isBeforeCall && parked.isDone() && !called.get();
    }

    /** Notes that the receiver has accepted the run and that its row says so: a successor adopts it. */
    public void accepted() {
        called.set(true);
        isAccepted = true;
    }

    /** Whether the receiver has accepted the run, so that a successor would adopt it. */
    public boolean isAccepted() {
        return isAccepted;
    }
}
