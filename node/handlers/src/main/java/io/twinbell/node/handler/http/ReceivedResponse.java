package io.twinbell.node.handler.http;

import java.time.Duration;

/**
 * The kept part of a receiver's answer.
 *
 * @param location the target of a redirect, one character per byte; or null
 * @param askedWait how long the receiver asks to wait before the next call; zero if it does not ask
 * @param body the beginning of the body
 * @param end how far the body was read
 */
record ReceivedResponse(int status, String location, Duration askedWait, ResponseText body, BodyEnd end) {
    /**
     * How far a body was read.
     *
     * @param isBroken whether the body ended prematurely
     * @param note what is missing; null if nothing is missing
     */
    record BodyEnd(boolean isBroken, String note) {
        static final BodyEnd WHOLE = new BodyEnd(false, null);
    }

    boolean isRedirect() {
        return location != null
                && switch (status) {
                    case 301, 302, 303, 307, 308 -> true;
                    default -> false;
                };
    }
}
