package io.twinbell.node.handler.http;

import io.twinbell.node.handler.config.CallProfile;
import io.twinbell.node.template.HttpUrl;
import java.io.IOException;
import org.apache.hc.client5.http.auth.AuthExchange;
import org.apache.hc.client5.http.auth.UsernamePasswordCredentials;
import org.apache.hc.client5.http.impl.auth.BasicScheme;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.concurrent.FutureCallback;
import org.apache.hc.core5.http.HttpHost;

/**
 * Takes the result of a call through a proxy. The HTTP client reports the proxy's refusal as if it were the receiver's
 * answer, so a task might count it as success.
 */
record ProxiedCall(
        CallProfile.Proxy proxy, HttpUrl url, HttpClientContext context, FutureCallback<ReceivedResponse> result)
        implements FutureCallback<ReceivedResponse> {
    static final int LOGIN_REQUIRED = 407;

    /** Sends the login with the first request: without it the client would have to send each request twice. */
    void logIn(HttpHost host) {
        if (proxy.user() == null) {
            return;
        }
        BasicScheme scheme = new BasicScheme();
        scheme.initPreemptive(
                new UsernamePasswordCredentials(proxy.user(), proxy.password().toCharArray()));
        AuthExchange login = new AuthExchange();
        login.select(scheme);
        context.setAuthExchange(host, login);
    }

    @Override
    public void completed(ReceivedResponse answer) {
        boolean isTunnelRefused = url.scheme().equals("https") && context.getSSLSession() == null;
        if (isTunnelRefused || answer.status() == LOGIN_REQUIRED) {
            result.failed(new ProxyRefusedException(proxy, answer.status()));
        } else {
            result.completed(answer);
        }
    }

    @Override
    public void failed(Exception cause) {
        result.failed(cause);
    }

    @Override
    public void cancelled() {
        result.cancelled();
    }

    /** The proxy refused the call, so the receiver did not get it. */
    static final class ProxyRefusedException extends IOException {
        private static final long serialVersionUID = 1L;

        ProxyRefusedException(CallProfile.Proxy proxy, int status) {
            super("the proxy " + proxy + " refused the call with " + status
                    + (status == LOGIN_REQUIRED
                            ? ", because it requires a login: proxyUser and proxyPassword of the profile are "
                                    + (proxy.user() == null ? "missing" : "wrong")
                            : ""));
        }
    }
}
