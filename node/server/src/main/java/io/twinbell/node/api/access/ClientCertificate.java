package io.twinbell.node.api.access;

import java.security.cert.X509Certificate;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Request;

/** The certificate that a client presented when it connected. The TLS connection has checked it. */
final class ClientCertificate {
    private static final String COMMON_NAME = "CN";

    private ClientCertificate() {}

    /** Returns null if there is no certificate, or no common name in it. */
    static String commonName(Request request) {
        return request.getAttribute(EndPoint.SslSessionData.ATTRIBUTE) instanceof EndPoint.SslSessionData session
                ? commonName(session.peerCertificates())
                : null;
    }

    /** The name of the client in the audit; null if it presented no certificate with a common name. */
    static String auditName(Request request) {
        String commonName = commonName(request);
        return commonName == null ? null : "certificate " + commonName;
    }

    static String commonName(X509Certificate[] chain) {
        if (chain == null || chain.length == 0) {
            return null;
        }
        try {
            return new LdapName(chain[0].getSubjectX500Principal().getName())
                    .getRdns().stream()
                            .filter(part -> part.getType().equalsIgnoreCase(COMMON_NAME))
                            .map(Rdn::getValue)
                            .map(Object::toString)
                            .reduce((first, last) -> last)
                            .orElse(null);
        } catch (InvalidNameException e) {
            return null;
        }
    }
}
