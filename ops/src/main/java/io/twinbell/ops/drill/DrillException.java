package io.twinbell.ops.drill;

/** A drill cannot go on; the message is for the person at the terminal. */
abstract sealed class DrillException extends Exception {
    private static final long serialVersionUID = 1L;

    private DrillException(String message) {
        super(message);
    }

    /** Nothing was done: this is no pair to drill on. */
    static final class Refused extends DrillException {
        private static final long serialVersionUID = 1L;

        Refused(String message) {
            super(message);
        }
    }

    /** Something that the pair owed did not happen. */
    static final class Failed extends DrillException {
        private static final long serialVersionUID = 1L;

        Failed(String message) {
            super(message);
        }
    }

    /** Somebody wants the drill to stop. */
    static final class Interrupted extends DrillException {
        private static final long serialVersionUID = 1L;

        Interrupted() {
            super("interrupted");
        }
    }
}
