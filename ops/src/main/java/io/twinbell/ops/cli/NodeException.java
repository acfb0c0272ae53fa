package io.twinbell.ops.cli;

/** A node could not be asked or would not do it; the message is for the person at the terminal. */
abstract sealed class NodeException extends Exception {
    private static final long serialVersionUID = 1L;

    private NodeException(String message, Throwable cause) {
        super(message, cause);
    }

    abstract int exitCode();

    /** Nothing answered. */
    static final class Unreachable extends NodeException {
        private static final long serialVersionUID = 1L;

        Unreachable(String message, Throwable cause) {
            super(message, cause);
        }

        @Override
        int exitCode() {
            return Health.UNREACHABLE.exitCode();
        }
    }

    /** The node answered that it will not. */
    static final class Refused extends NodeException {
        private static final long serialVersionUID = 1L;

        Refused(String message) {
            super(message, null);
        }

        @Override
        int exitCode() {
            return 1;
        }
    }
}
