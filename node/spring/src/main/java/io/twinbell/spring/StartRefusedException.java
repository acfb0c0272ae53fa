package io.twinbell.spring;

/** Thrown if the application cannot start, for a reason that its code or its properties can change. */
final class StartRefusedException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    private final String description;
    private final String action;

    /**
     * @param description what is wrong, and where
     * @param action what to do, in the imperative
     * @param cause may be null
     */
    StartRefusedException(String description, String action, Throwable cause) {
        super(description + ". " + action, cause);
        this.description = description;
        this.action = action;
    }

    String description() {
        return description;
    }

    String action() {
        return action;
    }
}
