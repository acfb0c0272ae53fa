package io.twinbell.node.handler;

import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.nio.support.AbstractAsyncResponseConsumer;
import org.apache.hc.core5.http.protocol.HttpContext;

/**
 * What is kept of a receiver's answer.
 *
 * @param location where a redirect points, or null
 */
record HttpAnswer(int status, String location, byte[] body) {
    private static final byte[] NOTHING = {};

    boolean isRedirect() {
        return location != null
                && switch (status) {
                    case 301, 302, 303, 307, 308 -> true;
                    default -> false;
                };
    }

    /** Gathers an answer as it comes in. */
    static final class Reader extends AbstractAsyncResponseConsumer<HttpAnswer, byte[]> {
        Reader(int keptBytes) {
            super(new FirstBytes(keptBytes));
        }

        @Override
        protected HttpAnswer buildResult(HttpResponse response, byte[] body, ContentType contentType) {
            Header location = response.getFirstHeader("Location");
            return new HttpAnswer(
                    response.getCode(), location == null ? null : location.getValue(), body == null ? NOTHING : body);
        }

        @Override
        public void informationResponse(HttpResponse response, HttpContext context) {
            // An interim answer says nothing of the outcome.
        }
    }
}
