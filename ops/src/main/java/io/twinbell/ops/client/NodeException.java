package io.twinbell.ops.client;

/** A node could not be asked or would not do it; the message is for the person at the terminal. */
public abstract sealed class NodeException extends Exception {
    private static final long serialVersionUID = 1L;

    private NodeException(String message, Throwable cause) {
        super(message, cause);
    }

    public abstract int exitCode();

    /** Nothing answered. */
    public static final class Unreachable extends NodeException {
        private static final long serialVersionUID = 1L;

        Unreachable(String message, Throwable cause) {
            super(message, cause);
        }

        @Override
        public int exitCode() {
            return Health.UNREACHABLE.exitCode();
        }
    }

    /** The node answered that it cannot now, and that the same request may be sent again. */
    public static final class Unavailable extends NodeException {
        private static final long serialVersionUID = 1L;

        Unavailable(String message) {
            super(message, null);
        }

        @Override
        public int exitCode() {
            return 1;
        }
    }

    /** The node answered that it will not. */
    public static final class Refused extends NodeException {
        private static final long serialVersionUID = 1L;

        Refused(String message) {
            super(message, null);
        }

        @Override
        public int exitCode() {
            return 1;
        }
    }
}
