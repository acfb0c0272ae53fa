package io.twinbell.ops.client;

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

    /**
     * What a node found wrong with one member of a body.
     *
     * @param pointer the member, as in {@code /schedule/cron}
     */
    public record Fault(String pointer, String detail) implements Serializable {
        static List<Fault> allOf(JsonNode problem) {
            List<Fault> faults = new ArrayList<>();
            for (JsonNode error : problem.path("errors")) {
                faults.add(new Fault(
                        error.path("pointer").asText(), error.path("detail").asText()));
            }
            return List.copyOf(faults);
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
