package io.twinbell.node.tls;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The files for TLS. Each may be PEM or PKCS12.
 *
 * @param certificate the own certificate with its chain, and with the key unless {@code key} names another file; null
 *     for none
 * @param key the private key in PEM; null if it is in the file of the certificate
 * @param password of a PKCS12 file or of an encrypted key; null for none
 * @param authorities certificates that a server's certificate must be issued by; null for the authorities of the Java
 *     runtime
 * @param clientAuthorities certificates that a client's certificate must be issued by; null for {@code authorities}
 * @param clients what a server asks of its clients
 */
public record TlsFiles(
        Path certificate, Path key, String password, Path authorities, Path clientAuthorities, Clients clients) {
    /** Neither a certificate nor authorities of its own. */
    public static final TlsFiles NONE = new TlsFiles(null, null, null, null, null, Clients.NONE);

    /** Whether clients present a certificate. */
    public enum Clients {
        /** They are not asked for one. */
        NONE,
        /** They may present one; a wrong one ends the connection. */
        OPTIONAL,
        /** A client without one gets no connection. */
        REQUIRED
    }

    /** Returns the files for a client. */
    public static TlsFiles forClient(Path authorities, Path certificate, Path key) {
        return new TlsFiles(certificate, key, null, authorities, null, Clients.NONE);
    }

    /** Whether a server with these files speaks TLS. */
    public boolean isServer() {
        return certificate != null;
    }

    /** The problems of these files and of their combination; empty if a server and a client can use them. */
    public List<String> problems() {
        if (certificate == null && (key != null || clientAuthorities != null || clients != Clients.NONE)) {
            return List.of("certificate is missing, but other keys for TLS are set");
        }
        if (clients != Clients.NONE && authoritiesOfClients().isEmpty()) {
            return List.of("clientCertificates is " + clients + ", but neither clientCa nor ca names the authorities"
                    + " that may issue them");
        }
        try {
            TlsMaterial.read(this);
            return List.of();
        } catch (TlsFileException e) {
            return List.of(e.getMessage());
        }
    }

    /** The authorities that a client's certificate must be issued by. */
    Optional<Path> authoritiesOfClients() {
        return Optional.ofNullable(clientAuthorities == null ? authorities : clientAuthorities);
    }

    Stream<Path> all() {
        return Stream.of(certificate, key, authorities, clientAuthorities)
                .filter(Objects::nonNull)
                .distinct();
    }

    /** Omits the password. */
    @Override
    public String toString() {
        return "TlsFiles[certificate=" + certificate + ", key=" + key + ", authorities=" + authorities
                + ", clientAuthorities=" + clientAuthorities + ", clients=" + clients + "]";
    }
}
