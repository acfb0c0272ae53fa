package io.twinbell.tools.drill.stage;

/** A drill cannot go on; the message is for the person at the terminal. */
public abstract sealed class DrillException extends Exception {
    private static final long serialVersionUID = 1L;

    private DrillException(String message) {
        super(message);
    }

    /** Nothing was done: this is no pair to drill on. */
    public static final class Refused extends DrillException {
        private static final long serialVersionUID = 1L;

        public Refused(String message) {
            super(message);
        }
    }

    /** Something that the pair owed did not happen. */
    public static final class Failed extends DrillException {
        private static final long serialVersionUID = 1L;

        public Failed(String message) {
            super(message);
        }
    }

    /** Somebody wants the drill to stop. */
    public static final class Interrupted extends DrillException {
        private static final long serialVersionUID = 1L;

        public Interrupted() {
            super("interrupted");
        }
    }
}
