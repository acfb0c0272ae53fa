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

    BufferedAnswer(HttpServletResponse response) {
        super(response);
    }

    ReceiverAnswer answer() {
        if (writer != null) {
            writer.flush();
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
            Charset charset = encoding == null ? StandardCharsets.UTF_8 : Charset.forName(encoding);
            writer = new PrintWriter(new OutputStreamWriter(body, charset), false);
        }
        return writer;
    }

    /** The container would send its own page at once. So status and message are kept until the transaction has ended. */
    @Override
    public void sendError(int status, String message) {
        resetBuffer();
        setStatus(status);
        setContentType("text/plain; charset=utf-8");
        getWriter().print(message == null ? "" : message);
    }

    @Override
    public void sendError(int status) {
        sendError(status, null);
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
