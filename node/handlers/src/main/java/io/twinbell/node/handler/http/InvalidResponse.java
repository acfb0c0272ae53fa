package io.twinbell.node.handler.http;

import io.twinbell.node.engine.handler.TextLimit;
import org.apache.hc.core5.http.MessageConstraintException;
import org.apache.hc.core5.http.ParseException;
import org.apache.hc.core5.http.ProtocolException;

/**
 * Describes an answer that the HTTP client refuses before any of it can be read. The client cannot be configured to
 * accept such answers: {@code DefaultContentLengthStrategy} refuses lengths and transfer codings that leave the end of
 * the answer ambiguous, {@code BasicLineParser} an invalid first line, and {@code BufferedHeader} an invalid header
 * line.
 */
final class InvalidResponse {
    private static final int MOST_QUOTED = 200;

    private InvalidResponse() {}

    /** Whether the client refused the answer itself. */
    static boolean is(Exception cause) {
        return cause instanceof ProtocolException || cause instanceof MessageConstraintException;
    }

    /** Whether only the trailers are invalid; status and body were then read completely. */
    static boolean isInTrailersOnly(Exception cause) {
        return cause.getCause() instanceof ParseException
                || cause instanceof MessageConstraintException
                        && "Maximum header count exceeded".equals(cause.getMessage());
    }

    /** Returns the text for the attempt's error. */
    static String describe(Exception cause) {
        return "the receiver's response is not valid HTTP: " + what(text(cause))
                + ". Its status is ignored, because the end of such a response cannot be determined";
    }

    private static String text(Exception cause) {
        return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
    }

    private static String what(String message) {
        if (message.startsWith("Multiple Content-Length")) {
            return "it has more than one Content-Length header";
        }
        if (message.startsWith("Invalid content length") || message.startsWith("Negative content length")) {
            return "its Content-Length is not a number of bytes: " + quoted(after(message, ':'));
        }
        if (message.startsWith("Unsupported transfer encoding")) {
            return "its Transfer-Encoding is not chunked: " + quoted(after(message, ':'));
        }
        if (message.startsWith("Invalid header")) {
            return "a header line has no name or no colon: " + quoted(inBrackets(message));
        }
        if (message.startsWith("Invalid protocol")
                || message.startsWith("Invalid HTTP")
                || message.startsWith("Status line")) {
            return "it does not begin with a status line such as HTTP/1.1 200 OK: " + quoted(inBrackets(message));
        }
        return switch (message) {
            case "Maximum line length limit exceeded" ->
                "a line of its head has more than " + HttpTransport.MOST_OF_A_LINE + " characters";
            case "Maximum header count exceeded" -> "it has more than " + HttpTransport.MOST_HEADERS + " headers";
            default -> message;
        };
    }

    private static String after(String message, char mark) {
        return message.substring(message.indexOf(mark) + 1).strip();
    }

    /** Returns the invalid line; the client omits long lines. */
    private static String inBrackets(String message) {
        int from = message.indexOf('<');
        return from < 0 || !message.endsWith(">") ? "a long line" : message.substring(from + 1, message.length() - 1);
    }

    private static String quoted(String text) {
        return "\"" + TextLimit.to(MOST_QUOTED, text) + "\"";
    }
}
