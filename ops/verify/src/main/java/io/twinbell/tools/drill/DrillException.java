package io.twinbell.tools.drill;

/** Ends a drill; the message is for the person at the terminal. */
public abstract sealed class DrillException extends Exception {
    private static final long serialVersionUID = 1L;

    private DrillException(String message) {
        super(message);
    }

    /** Nothing was done: the pair is not fit for this drill. */
    public static final class Refused extends DrillException {
        private static final long serialVersionUID = 1L;

        public Refused(String message) {
            super(message);
        }
    }

    /** The pair did not do something that it owed. */
    public static final class Failed extends DrillException {
        private static final long serialVersionUID = 1L;

        public Failed(String message) {
            super(message);
        }
    }

    /** A person interrupted the drill. */
    public static final class Interrupted extends DrillException {
        private static final long serialVersionUID = 1L;

        public Interrupted() {
            super("interrupted");
        }
    }
}
