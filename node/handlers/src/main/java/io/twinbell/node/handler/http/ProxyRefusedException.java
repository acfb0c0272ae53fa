package io.twinbell.node.handler.http;

import io.twinbell.node.handler.config.CallProfile;
import java.io.IOException;

/** The proxy refused the call, so the receiver did not get it. */
final class ProxyRefusedException extends IOException {
    private static final long serialVersionUID = 1L;

    ProxyRefusedException(CallProfile.Proxy proxy, int status) {
        super("the proxy " + proxy + " refused the call with " + status
                + (status == ProxiedCall.LOGIN_REQUIRED
                        ? ", because it requires a login: proxyUser and proxyPassword of the profile are "
                                + (proxy.user() == null ? "missing" : "wrong")
                        : ""));
    }
}
