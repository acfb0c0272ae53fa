package io.twinbell.handler;

/**
 * Code that runs around each attempt, on the node that runs it: to skip attempts, to hand values to the handler, or to
 * observe outcomes. Interceptors are registered with {@code Twinbell.builder().intercept} or supplied by a {@link
 * HandlerPlugin}. Those of the program come first, in the order of their registration, then those of the plugins, by
 * the name of their jar.
 *
 * <p>{@link #before} is called in this order, {@link #after} in the reverse order. They should return within
 * milliseconds. {@link #before} occupies a worker. {@link #after} occupies the thread that ends the attempt: a worker,
 * a thread of the HTTP client, or the thread that completes a stage of the handler. The timeout of the attempt does not
 * interrupt them. One instance is called from several threads at once.
 */
public interface TaskInterceptor {
    /** The name that the reason of a skipped execution shows. Default: the name of the class. */
    default String name() {
        return getClass().getName();
    }

    /**
     * Decides whether the attempt goes on. It is not called for slots that never start, for example because of their
     * overlap policy. If it throws, the attempt is FAILED with the error code of the exception and may be retried.
     *
     * @return {@link Decision#PROCEED}, or {@link Decision#skip} to end the execution as SKIPPED, without a retry
     */
    default Decision before(InterceptedRun run) throws Exception {
        return Decision.PROCEED;
    }

    /**
     * Observes the outcome of an attempt for which {@link #before} returned {@link Decision#PROCEED}. It is called
     * before the outcome is recorded, so the record may still fail and the slot may run again. It is not called if the
     * process dies, if an interrupted run is left to the successor, or if the master settles the run in its place. An
     * exception is logged and changes nothing.
     */
    default void after(InterceptedRun run, AttemptOutcome outcome) {}

    /**
     * What an interceptor decides.
     *
     * @param skipReason null to proceed
     */
    record Decision(String skipReason) {
        public static final Decision PROCEED = new Decision(null);

        /**
         * Ends the execution as SKIPPED.
         *
         * @param reason is shown with the execution, in one line; the first 500 characters are kept
         */
        public static Decision skip(String reason) {
            if (reason == null || reason.isBlank()) {
                throw new IllegalArgumentException("a skipped execution needs a reason");
            }
            return new Decision(reason);
        }
    }
}
