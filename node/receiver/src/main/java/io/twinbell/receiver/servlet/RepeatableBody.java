package io.twinbell.receiver.servlet;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.InputStreamReader;
import java.net.URLDecoder;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.Enumeration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** A request whose body the filter has read already. The fields of a form are read from that body. */
final class RepeatableBody extends HttpServletRequestWrapper {
    private static final String FORM = "application/x-www-form-urlencoded";

    private final byte[] body;
    private Map<String, String[]> parameters;

    RepeatableBody(HttpServletRequest request, byte[] body) {
        super(request);
        this.body = body;
    }

    @Override
    public ServletInputStream getInputStream() {
        ByteArrayInputStream bytes = new ByteArrayInputStream(body);
        return new ServletInputStream() {
            @Override
            public int read() {
                return bytes.read();
            }

            @Override
            public int read(byte[] into, int offset, int length) {
                return bytes.read(into, offset, length);
            }

            @Override
            public boolean isFinished() {
                return bytes.available() == 0;
            }

            @Override
            public boolean isReady() {
                return true;
            }

            @Override
            public void setReadListener(ReadListener listener) {
                throw new IllegalStateException("the request is read on its own thread");
            }
        };
    }

    @Override
    public BufferedReader getReader() {
        String encoding = getCharacterEncoding();
        Charset charset = encoding == null ? StandardCharsets.UTF_8 : Charset.forName(encoding);
        return new BufferedReader(new InputStreamReader(new ByteArrayInputStream(body), charset));
    }

    @Override
    public Map<String, String[]> getParameterMap() {
        if (parameters == null) {
            Map<String, String[]> all = new LinkedHashMap<>(super.getParameterMap());
            String type = getContentType();
            if (type != null && type.toLowerCase(Locale.ROOT).startsWith(FORM)) {
                for (String field : new String(body, StandardCharsets.UTF_8).split("&")) {
                    addField(all, field);
                }
            }
            parameters = Collections.unmodifiableMap(all);
        }
        return parameters;
    }

    private static void addField(Map<String, String[]> all, String field) {
        String[] parts = field.split("=", 2);
        if (!field.isEmpty()) {
            String value = parts.length == 2 ? decoded(parts[1]) : "";
            all.merge(decoded(parts[0]), new String[] {value}, (before, more) -> {
                String[] both = Arrays.copyOf(before, before.length + 1);
                both[before.length] = more[0];
                return both;
            });
        }
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }

    @Override
    public String getParameter(String name) {
        String[] values = getParameterMap().get(name);
        return values == null ? null : values[0];
    }

    @Override
    public String[] getParameterValues(String name) {
        return getParameterMap().get(name);
    }

    @Override
    public Enumeration<String> getParameterNames() {
        return Collections.enumeration(getParameterMap().keySet());
    }

    @Override
    public boolean isAsyncSupported() {
        return false;
    }

    @Override
    public AsyncContext startAsync() {
        throw new IllegalStateException(
                "an asynchronous answer would not wait for the commit: answer on the request's own thread");
    }

    @Override
    public AsyncContext startAsync(ServletRequest request, ServletResponse response) {
        return startAsync();
    }
}
