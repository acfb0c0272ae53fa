package io.twinbell.tools.client;

import io.twinbell.node.tls.TlsFileException;
import io.twinbell.node.tls.TlsFiles;
import io.twinbell.node.tls.TlsMaterial;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpTimeoutException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;

/**
 * The HTTP client of this process. Options, or the variables {@code TWINBELL_CA}, {@code TWINBELL_CERT} and {@code
 * TWINBELL_KEY}, name the authorities of the nodes' certificates, and the command line's own certificate and key.
 */
public final class ClientTls {
    private static final Duration CONNECT_LIMIT = Duration.ofSeconds(1);

    /** Messages of the JDK. */
    private static final Pattern REFUSED_BY_NODE =
            Pattern.compile("Received fatal alert|Remote host terminated the handshake");

    private static TlsFiles files =
            TlsFiles.forClient(named("TWINBELL_CA"), named("TWINBELL_CERT"), named("TWINBELL_KEY"));
    private static HttpClient client;

    private ClientTls() {}

    /** Uses these files for all later requests, such as those of a node's configuration. */
    public static synchronized void use(TlsFiles given) {
        files = given;
        client = null;
    }

    /** Uses these files for all later requests; null keeps what the environment says. */
    public static synchronized void use(Path authorities, Path certificate, Path key) {
        files = TlsFiles.forClient(
                authorities == null ? files.authorities() : authorities,
                certificate == null ? files.certificate() : certificate,
                key == null ? files.key() : key);
        client = null;
    }

    /** @throws NodeException.Refused if a file cannot be used */
    static synchronized HttpClient http() throws NodeException {
        if (client != null) {
            return client;
        }
        HttpClient.Builder builder =
                HttpClient.newBuilder().connectTimeout(CONNECT_LIMIT).version(HttpClient.Version.HTTP_1_1);
        try {
            if (files.certificate() == null && files.key() != null) {
                throw new NodeException.Refused(
                        "A key for TLS is given without its certificate (--cert or TWINBELL_CERT)", List.of());
            }
            if (!files.equals(TlsFiles.NONE)) {
                builder.sslContext(TlsMaterial.read(files).client());
            }
        } catch (TlsFileException e) {
            throw new NodeException.Refused("Cannot use the file for TLS " + e.getMessage(), List.of());
        }
        client = builder.build();
        return client;
    }

    /**
     * Whether a node with TLS closed the connection of a client that has no certificate. With TLS 1.3 a client has
     * finished its handshake before the node refuses it, so the failure may be any end of the connection.
     */
    static synchronized boolean lacksCertificate(URI node, IOException failure) {
        if (!"https".equals(node.getScheme())
                || files.certificate() != null
                || failure instanceof ConnectException
                || failure instanceof HttpTimeoutException) {
            return false;
        }
        // Otherwise the client itself ended the handshake, for example because the authority is unknown to it.
        return !(failure instanceof SSLException)
                || REFUSED_BY_NODE.matcher(String.valueOf(failure.getMessage())).find();
    }

    private static Path named(String variable) {
        String file = System.getenv(variable);
        return file == null || file.isBlank() ? null : Path.of(file);
    }
}
