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

    /** The node answered that there is no such thing. */
    public static final class Missing extends Refused {
        private static final long serialVersionUID = 1L;

        Missing(String message) {
            super(message);
        }
    }

    /** The node answered that it will not. */
    public static sealed class Refused extends NodeException {
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
