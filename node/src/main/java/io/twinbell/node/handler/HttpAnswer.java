package io.twinbell.node.handler;

/**
 * What is kept of a receiver's answer.
 *
 * @param location where a redirect points, each byte of it a character; or null
 * @param body the beginning of the body
 * @param end how far the body was read
 */
record HttpAnswer(int status, String location, AnswerText body, End end) {
    /**
     * How far a body was read.
     *
     * @param isBroken whether it ended before its end
     * @param note what is missing; null if nothing is
     */
    record End(boolean isBroken, String note) {
        static final End WHOLE = new End(false, null);
    }

    boolean isRedirect() {
        return location != null
                && switch (status) {
                    case 301, 302, 303, 307, 308 -> true;
                    default -> false;
                };
    }
}
