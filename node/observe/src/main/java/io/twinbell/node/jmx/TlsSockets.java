package io.twinbell.node.jmx;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.security.GeneralSecurityException;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;

/** Wraps accepted connections in TLS. */
final class TlsSockets {
    private final SSLSocketFactory factory;
    private final boolean wantsCertificates;

    private TlsSockets(SSLSocketFactory factory, boolean wantsCertificates) {
        this.factory = factory;
        this.wantsCertificates = wantsCertificates;
    }

    /** Returns null if TLS is off. */
    static TlsSockets of(JmxSecurity security) throws IOException {
        if (security.keys() == null) {
            return null;
        }
        try {
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(security.keys().load(), security.keys().password().toCharArray());
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(security.trusted() == null ? null : security.trusted().load());
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
            return new TlsSockets(context.getSocketFactory(), security.trusted() != null);
        } catch (GeneralSecurityException e) {
            throw new IOException("jmx.keyStore or jmx.trustStore can't be used: " + e.getMessage(), e);
        }
    }

    /** Wraps a connection. The handshake happens with the first bytes, on the thread that reads them. */
    Socket over(Socket plain, InetAddress origin) throws IOException {
        SSLSocket tls = (SSLSocket) factory.createSocket(plain, origin.getHostAddress(), plain.getPort(), true);
        tls.setUseClientMode(false);
        tls.setNeedClientAuth(wantsCertificates);
        return tls;
    }
}
