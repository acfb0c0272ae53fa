package io.twinbell.tools.client;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;

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
            return HealthExitCode.UNREACHABLE.exitCode();
        }
    }

    /** The node answered that there is no such thing. */
    public static final class Missing extends NodeException {
        private static final long serialVersionUID = 1L;

        Missing(String message) {
            super(message, null);
        }

        @Override
        public int exitCode() {
            return 1;
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

    /**
     * What a node found wrong with one member of a body, or with one parameter of a query.
     *
     * @param pointer the member, as in {@code /schedule/cron}, or {@code ?} and the parameter
     */
    public record Fault(String pointer, String detail) implements Serializable {
        /** What a problem+json (RFC 9457) finds wrong; empty if it blames no member. */
        public static List<Fault> allOf(JsonNode problem) {
            List<Fault> faults = new ArrayList<>();
            for (JsonNode error : problem.path("errors")) {
                String where = error.has("parameter")
                        ? "?" + error.path("parameter").asText()
                        : error.path("pointer").asText();
                faults.add(new Fault(where, error.path("detail").asText()));
            }
            return List.copyOf(faults);
        }

        /** Where and what, in one line. */
        public String line() {
            return pointer.isEmpty() ? detail : pointer + ": " + detail;
        }
    }

    /** The node answered that it will not. */
    public static final class Refused extends NodeException {
        private static final long serialVersionUID = 1L;

        private final ArrayList<Fault> faults;

        Refused(String message, List<Fault> faults) {
            super(message, null);
            this.faults = new ArrayList<>(faults);
        }

        /** Empty if the node blames no member of the body. */
        public List<Fault> faults() {
            return List.copyOf(faults);
        }

        @Override
        public int exitCode() {
            return 1;
        }
    }
}
