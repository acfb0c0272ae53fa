package io.twinbell.node.handler.http;

import io.twinbell.node.tls.LiveTls;
import java.net.SocketAddress;
import javax.net.ssl.SSLContext;
import org.apache.hc.core5.concurrent.FutureCallback;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.nio.ssl.TlsStrategy;
import org.apache.hc.core5.net.NamedEndpoint;
import org.apache.hc.core5.reactor.ssl.TransportSecurityLayer;
import org.apache.hc.core5.util.Timeout;

/** Encrypts each new connection with the latest client certificate and authorities of a profile. */
final class ProfileTls implements TlsStrategy {
    private final LiveTls files;
    private SSLContext context;
    private TlsStrategy strategy;

    ProfileTls(LiveTls files) {
        this.files = files;
    }

    private synchronized TlsStrategy latest() {
        SSLContext now = files.client();
        if (strategy == null || now != context) {
            context = now;
            strategy = CallRoute.tls(now);
        }
        return strategy;
    }

    @Override
    public void upgrade(
            TransportSecurityLayer layer,
            NamedEndpoint endpoint,
            Object attachment,
            Timeout handshakeTimeout,
            FutureCallback<TransportSecurityLayer> callback) {
        latest().upgrade(layer, endpoint, attachment, handshakeTimeout, callback);
    }

    /** Only clients of an older interface call this, but the interface requires it. */
    @Override
    @SuppressWarnings("deprecation")
    public boolean upgrade(
            TransportSecurityLayer layer,
            HttpHost host,
            SocketAddress local,
            SocketAddress remote,
            Object attachment,
            Timeout handshakeTimeout) {
        return latest().upgrade(layer, host, local, remote, attachment, handshakeTimeout);
    }
}
