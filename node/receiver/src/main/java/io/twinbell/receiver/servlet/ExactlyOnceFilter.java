package io.twinbell.receiver.servlet;

import io.twinbell.receiver.CallRefusedException;
import io.twinbell.receiver.ExactlyOnceReceiver;
import io.twinbell.receiver.ReceiverAnswer;
import io.twinbell.receiver.TwinbellCall;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.sql.Connection;

/**
 * Lets each call of a pair take effect exactly once in the servlet or controller behind it. Map it to the paths that
 * Twinbell calls, and to no others: a request without the headers of a call is answered 400.
 *
 * <p>The filter reads the whole body, checks the signature if the receiver has a secret, opens the transaction, lets the
 * chain answer into memory, commits, and only then sends the answer. So a sender that reads "200" knows that the effect is
 * durable. Asynchronous answers are not possible behind it.
 */
public final class ExactlyOnceFilter implements Filter {
    private static final String CONNECTION = ExactlyOnceFilter.class.getName() + ".connection";
    private static final int MAX_BODY = 1024 * 1024;

    private final ExactlyOnceReceiver receiver;
    private final int maxBodyBytes;

    /** Creates a filter that accepts bodies of up to 1 MiB. */
    public ExactlyOnceFilter(ExactlyOnceReceiver receiver) {
        this(receiver, MAX_BODY);
    }

    /** @param maxBodyBytes the maximum length of a request's body; a longer one is answered 413 */
    public ExactlyOnceFilter(ExactlyOnceReceiver receiver, int maxBodyBytes) {
        this.receiver = receiver;
        this.maxBodyBytes = maxBodyBytes;
    }

    /**
     * Returns the transaction of a request that came through this filter, for the effect. With Spring's transactions, the
     * application's own repositories and templates use it already.
     */
    public static Connection connection(ServletRequest request) {
        if (request.getAttribute(CONNECTION) instanceof Connection connection) {
            return connection;
        }
        throw new IllegalStateException("the request did not come through ExactlyOnceFilter");
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (request.getAttribute(CONNECTION) != null) {
            // The filter is mapped twice, or the request was forwarded to one of its paths: the call has been entered
            // already.
            chain.doFilter(request, response);
            return;
        }
        HttpServletRequest call = (HttpServletRequest) request;
        HttpServletResponse reply = (HttpServletResponse) response;
        ReceiverAnswer answer;
        try {
            answer = answer(call, reply, chain);
        } catch (CallRefusedException e) {
            if (e.status() == 503) {
                reply.setHeader("Retry-After", "1");
            }
            answer = ReceiverAnswer.of(e.status(), e.getMessage());
        } catch (IOException | ServletException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new ServletException("the call could not be received: " + e.getMessage(), e);
        }
        send(answer, reply);
    }

    private ReceiverAnswer answer(HttpServletRequest call, HttpServletResponse reply, FilterChain chain)
            throws Exception {
        byte[] body = call.getInputStream().readNBytes(maxBodyBytes + 1);
        if (body.length > maxBodyBytes) {
            return ReceiverAnswer.of(413, "the body has more than " + maxBodyBytes + " bytes");
        }
        receiver.verify(call::getHeader, body);
        return receiver.receive(TwinbellCall.of(call::getHeader), connection -> {
            RepeatableBody repeatable = new RepeatableBody(call, body);
            BufferedAnswer buffered = new BufferedAnswer(reply);
            repeatable.setAttribute(CONNECTION, connection);
            try {
                chain.doFilter(repeatable, buffered);
            } finally {
                repeatable.removeAttribute(CONNECTION);
            }
            if (call.isAsyncStarted()) {
                throw new IllegalStateException(
                        "an asynchronous answer would come after the commit: answer on the request's own thread");
            }
            return buffered.answer();
        });
    }

    private static void send(ReceiverAnswer answer, HttpServletResponse reply) throws IOException {
        reply.setStatus(answer.status());
        if (answer.contentType() != null) {
            reply.setContentType(answer.contentType());
        }
        reply.setContentLength(answer.body().length);
        reply.getOutputStream().write(answer.body());
    }
}
