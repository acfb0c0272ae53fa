package io.twinbell.receiver;

import java.nio.charset.StandardCharsets;

/**
 * The answer to a call. One with a status from 200 to 299 is remembered, and commits the effect. Every other one rolls
 * the effect back, so that the next attempt starts from the beginning.
 *
 * @param contentType the media type of the body, or null
 * @param body at most 64 KiB are remembered; a longer body is repeated without its rest
 */
public record ReceiverAnswer(int status, String contentType, byte[] body) {
    private static final byte[] NO_BODY = {};

    /** Returns an answer without a body. */
    public static ReceiverAnswer of(int status) {
        return new ReceiverAnswer(status, null, NO_BODY);
    }

    /** Returns an answer with a text, in UTF-8. */
    public static ReceiverAnswer of(int status, String text) {
        return new ReceiverAnswer(status, "text/plain; charset=utf-8", text.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns whether the effect counts. */
    public boolean isSuccess() {
        return status >= 200 && status < 300;
    }
}
