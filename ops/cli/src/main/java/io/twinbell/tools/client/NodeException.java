package io.twinbell.tools.client;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.json.ControlCharacters;
import java.io.PrintWriter;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;

/** A request to a node failed; the message is for the person at the terminal. */
public abstract sealed class NodeException extends Exception {
    private static final long serialVersionUID = 1L;

    private NodeException(String message, Throwable cause) {
        super(message, cause);
    }

    public abstract int exitCode();

    /** Prints the message, with a line for each member of the request that the node names. */
    public final void print(PrintWriter err) {
        err.println(ControlCharacters.spaced(String.valueOf(getMessage())));
        if (this instanceof Refused refused && refused.faults().size() > 1) {
            refused.faults().forEach(fault -> err.println("  " + ControlCharacters.spaced(fault.line())));
        }
        err.flush();
    }

    /** No answer came. */
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

    /** The node answered that the resource does not exist. */
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

    /** The node answered that it is temporarily unavailable; the same request may be sent again. */
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
     * An error that a node found in one member of a body, or in one query parameter.
     *
     * @param pointer the member, such as {@code /schedule/cron}, or {@code ?} and the parameter
     */
    public record MemberError(String pointer, String detail) implements Serializable {
        /** The errors in a problem+json answer (RFC 9457); empty if it names no member. */
        public static List<MemberError> allOf(JsonNode problem) {
            List<MemberError> faults = new ArrayList<>();
            for (JsonNode error : problem.path("errors")) {
                String where = error.has("parameter")
                        ? "?" + error.path("parameter").asText()
                        : error.path("pointer").asText();
                faults.add(new MemberError(where, error.path("detail").asText()));
            }
            return List.copyOf(faults);
        }

        /** The position and the error, in one line. */
        public String line() {
            return pointer.isEmpty() ? detail : pointer + ": " + detail;
        }
    }

    /** The node refused the request. */
    public static final class Refused extends NodeException {
        private static final long serialVersionUID = 1L;

        private final ArrayList<MemberError> faults;

        Refused(String message, List<MemberError> faults) {
            super(message, null);
            this.faults = new ArrayList<>(faults);
        }

        /** Empty if the node names no member of the body. */
        public List<MemberError> faults() {
            return List.copyOf(faults);
        }

        @Override
        public int exitCode() {
            return 1;
        }
    }
}
