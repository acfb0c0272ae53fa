package io.twinbell.receiver.servlet;

import io.twinbell.receiver.ReceiverAnswer;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.ByteArrayOutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;

/** Keeps an answer in memory until the transaction has been committed. */
final class BufferedAnswer extends HttpServletResponseWrapper {
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();
    private final ServletOutputStream stream = new ServletOutputStream() {
        @Override
        public void write(int octet) {
            body.write(octet);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) {
            body.write(bytes, offset, length);
        }

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void setWriteListener(WriteListener listener) {
            throw new IllegalStateException("the answer is written on the request's own thread");
        }
    };
    private PrintWriter writer;
    private Charset charset;

    BufferedAnswer(HttpServletResponse response) {
        super(response);
    }

    ReceiverAnswer answer() {
        if (writer != null) {
            writer.flush();
            // The stored media type must say how its body is encoded. Containers add that only to their own writers.
            setCharacterEncoding(charset.name());
        }
        return new ReceiverAnswer(getStatus(), getContentType(), body.toByteArray());
    }

    @Override
    public ServletOutputStream getOutputStream() {
        return stream;
    }

    @Override
    public PrintWriter getWriter() {
        if (writer == null) {
            String encoding = getCharacterEncoding();
            charset = encoding == null ? StandardCharsets.UTF_8 : Charset.forName(encoding);
            writer = new PrintWriter(new OutputStreamWriter(body, charset), false);
        }
        return writer;
    }

    /** The container would send its own page at once. So status and message are kept until the transaction has ended. */
    @Override
    public void sendError(int status, String message) {
        resetBuffer();
        writer = null;
        setStatus(status);
        setContentType("text/plain; charset=utf-8");
        getWriter().print(message == null ? "" : message);
    }

    @Override
    public void sendError(int status) {
        sendError(status, null);
    }

    /** The container would send the redirection at once. */
    @Override
    public void sendRedirect(String location) {
        sendRedirect(location, SC_FOUND, true);
    }

    /** Overrides a method of Jakarta Servlet 6.1. */
    public void sendRedirect(String location, int status, boolean clearBuffer) {
        if (clearBuffer) {
            resetBuffer();
        }
        setStatus(status);
        setHeader("Location", location);
    }

    @Override
    public void flushBuffer() {
        // Nothing leaves before the commit.
    }

    @Override
    public boolean isCommitted() {
        return false;
    }

    @Override
    public void resetBuffer() {
        if (writer != null) {
            writer.flush();
        }
        body.reset();
    }

    @Override
    public void reset() {
        super.reset();
        resetBuffer();
    }

    @Override
    public void setContentLength(int length) {
        // The filter sets the length of what it sends.
    }

    @Override
    public void setContentLengthLong(long length) {
        // The filter sets the length of what it sends.
    }
}
