package io.twinbell.node.tls;

import io.twinbell.node.settings.SmallFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;

/** The keys and certificates of {@link TlsFiles}, as of the moment they were read. */
public final class TlsMaterial {
    static final TlsMaterial NONE = new TlsMaterial(null, List.of(), List.of(), List.of());

    private static final String ALIAS = "twinbell";
    private static final byte[] PROBE = "Does the key belong to the certificate?".getBytes();

    private final PrivateKey key;
    private final List<X509Certificate> chain;
    private final List<X509Certificate> authorities;
    private final List<X509Certificate> clientAuthorities;

    private TlsMaterial(
            PrivateKey key,
            List<X509Certificate> chain,
            List<X509Certificate> authorities,
            List<X509Certificate> clientAuthorities) {
        this.key = key;
        this.chain = chain;
        this.authorities = authorities;
        this.clientAuthorities = clientAuthorities;
    }

    /** @throws TlsFileException if a file cannot be used, or if the key does not belong to the certificate */
    public static TlsMaterial read(TlsFiles files) throws TlsFileException {
        List<X509Certificate> authorities =
                files.authorities() == null ? List.of() : authorities(files, files.authorities());
        Optional<Path> authoritiesOfClients = files.authoritiesOfClients();
        List<X509Certificate> clientAuthorities =
                authoritiesOfClients.isEmpty() ? List.of() : authorities(files, authoritiesOfClients.get());
        if (files.certificate() == null) {
            return new TlsMaterial(null, List.of(), authorities, clientAuthorities);
        }
        return isStore(files.certificate())
                ? ofStore(files, authorities, clientAuthorities)
                : ofPem(files, authorities, clientAuthorities);
    }

    private static boolean isStore(Path file) {
        String name = file.toString().toLowerCase(Locale.ROOT);
        return name.endsWith(".p12") || name.endsWith(".pfx");
    }

    private static TlsMaterial ofPem(
            TlsFiles files, List<X509Certificate> authorities, List<X509Certificate> clientAuthorities)
            throws TlsFileException {
        PemFile certificate = PemFile.read(files.certificate());
        Path keyFile = files.key() == null ? files.certificate() : files.key();
        List<X509Certificate> chain = certificate.certificates();
        PrivateKey key = PemFile.read(keyFile).key(chain.get(0), Optional.ofNullable(files.password()));
        if (!isPair(key, chain.get(0).getPublicKey())) {
            throw new TlsFileException(keyFile, "its key does not belong to the certificate " + files.certificate());
        }
        return new TlsMaterial(key, chain, authorities, clientAuthorities);
    }

    private static boolean isPair(PrivateKey key, PublicKey publicKey) {
        String method = switch (publicKey.getAlgorithm()) {
            case "EC" -> "SHA256withECDSA";
            case "RSA" -> "SHA256withRSA";
            default -> publicKey.getAlgorithm();
        };
        try {
            Signature signature = Signature.getInstance(method);
            signature.initSign(key);
            signature.update(PROBE);
            byte[] signed = signature.sign();
            signature.initVerify(publicKey);
            signature.update(PROBE);
            return signature.verify(signed);
        } catch (GeneralSecurityException e) {
            return false;
        }
    }

    private static TlsMaterial ofStore(
            TlsFiles files, List<X509Certificate> authorities, List<X509Certificate> clientAuthorities)
            throws TlsFileException {
        Path file = files.certificate();
        KeyStore store = load(file, files.password());
        try {
            List<String> keys = new ArrayList<>();
            for (String alias : Collections.list(store.aliases())) {
                if (store.entryInstanceOf(alias, KeyStore.PrivateKeyEntry.class)) {
                    keys.add(alias);
                }
            }
            if (keys.size() != 1) {
                throw new TlsFileException(file, "it has " + keys.size() + " private keys and must have one");
            }
            List<X509Certificate> chain = new ArrayList<>();
            for (Certificate certificate : store.getCertificateChain(keys.get(0))) {
                chain.add((X509Certificate) certificate);
            }
            PrivateKey key = (PrivateKey) store.getKey(keys.get(0), password(files.password()));
            return new TlsMaterial(key, List.copyOf(chain), authorities, clientAuthorities);
        } catch (GeneralSecurityException e) {
            throw new TlsFileException(file, "its key cannot be read: " + e.getMessage(), e);
        }
    }

    private static List<X509Certificate> authorities(TlsFiles files, Path file) throws TlsFileException {
        if (!isStore(file)) {
            return PemFile.read(file).certificates();
        }
        KeyStore store = load(file, files.password());
        List<X509Certificate> found = new ArrayList<>();
        try {
            for (String alias : Collections.list(store.aliases())) {
                if (store.isCertificateEntry(alias)) {
                    found.add((X509Certificate) store.getCertificate(alias));
                }
            }
        } catch (GeneralSecurityException e) {
            throw new TlsFileException(file, e.getMessage(), e);
        }
        if (found.isEmpty()) {
            throw new TlsFileException(file, "it has no trusted certificate");
        }
        return List.copyOf(found);
    }

    private static KeyStore load(Path file, String password) throws TlsFileException {
        try {
            SmallFile.check(file);
        } catch (IOException e) {
            throw new TlsFileException(file, e.getMessage(), e);
        }
        try (InputStream in = Files.newInputStream(file)) {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(in, password(password));
            return store;
        } catch (IOException | GeneralSecurityException e) {
            throw new TlsFileException(file, "it is not a PKCS12 file, or its password is wrong", e);
        }
    }

    private static char[] password(String password) {
        return password == null ? new char[0] : password.toCharArray();
    }

    /** When the first certificate of the own chain ends; empty without a certificate. */
    public Optional<Instant> end() {
        return chain.stream().map(each -> each.getNotAfter().toInstant()).min(Instant::compareTo);
    }

    /** Returns a context for a server, which trusts clients' certificates of the client authorities. */
    public SSLContext server() {
        return context(clientAuthorities);
    }

    /** Returns a context for a client, which presents the own certificate to a server that asks for one. */
    public SSLContext client() {
        return context(authorities);
    }

    private SSLContext context(List<X509Certificate> trusted) {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keyManagers(), trustManagers(trusted), null);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            // Everything comes from memory and was checked before.
            throw new IllegalStateException("no TLS context: " + e.getMessage(), e);
        }
    }

    private KeyManager[] keyManagers() throws GeneralSecurityException, IOException {
        if (key == null) {
            return new KeyManager[0];
        }
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setKeyEntry(ALIAS, key, new char[0], chain.toArray(Certificate[]::new));
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(store, new char[0]);
        return factory.getKeyManagers();
    }

    private static TrustManager[] trustManagers(List<X509Certificate> trusted)
            throws GeneralSecurityException, IOException {
        KeyStore store = null;
        if (!trusted.isEmpty()) {
            store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            for (int i = 0; i < trusted.size(); i++) {
                store.setCertificateEntry(ALIAS + i, trusted.get(i));
            }
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        // Without a store the factory takes the authorities of the Java runtime.
        factory.init(store);
        return factory.getTrustManagers();
    }
}
