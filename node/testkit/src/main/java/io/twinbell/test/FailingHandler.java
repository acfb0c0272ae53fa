package io.twinbell.test;

import io.twinbell.handler.TaskContext;
import io.twinbell.handler.TaskFailedException;
import io.twinbell.handler.TaskHandler;

/** A handler whose first attempts fail: {@code FailingHandler.attempts(2, context -> "done")}. */
public final class FailingHandler implements TaskHandler {
    /** The error code of the failures. */
    public static final String CODE = "TEST_FAILURE";

    private final int attempts;
    private final TaskHandler then;

    private FailingHandler(int attempts, TaskHandler then) {
        this.attempts = attempts;
        this.then = then;
    }

    /**
     * Fails the first attempts of each slot.
     *
     * @param attempts how many attempts fail
     * @param then runs in the attempts after them
     */
    public static FailingHandler attempts(int attempts, TaskHandler then) {
        return new FailingHandler(attempts, then);
    }

    /** Fails in every attempt. */
    public static FailingHandler always() {
        return new FailingHandler(Integer.MAX_VALUE, context -> null);
    }

    @Override
    public Object run(TaskContext context) throws Exception {
        if (context.attempt() <= attempts) {
            throw new TaskFailedException(CODE, "attempt " + context.attempt() + " fails, as the test wants", null);
        }
        return then.run(context);
    }
}
