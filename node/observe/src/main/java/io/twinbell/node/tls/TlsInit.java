package io.twinbell.node.tls;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A private certificate authority in a directory, for a pair without a PKI. The authority is {@code ca.pem} and
 * {@code ca-key.pem}; each certificate is {@code NAME.pem} with its chain, and {@code NAME-key.pem}. Keys are readable
 * by their owner only.
 */
public final class TlsInit {
    private static final String AUTHORITY = "ca";
    private static final int AUTHORITY_DAYS = 3650;
    private static final int PASSWORD_BYTES = 24;
    private static final int PEM_LINE = 64;

    private final Path directory;
    private final int days;

    /** Who uses a certificate. */
    public enum Use {
        /** A node: it serves, and is a client of the other node. */
        NODE("serverAuth,clientAuth"),
        /** A program or person that calls the API. */
        CLIENT("clientAuth");

        private final String keyUsage;

        Use(String keyUsage) {
            this.keyUsage = keyUsage;
        }
    }

    /**
     * A certificate to issue.
     *
     * @param name of the files and of the subject
     * @param hosts the names and addresses that it is valid for; empty for a client
     */
    public record Request(String name, List<String> hosts, Use use) {
        private String alternatives() {
            return String.join(
                    ",",
                    hosts.stream()
                            .map(host -> (host.matches("[0-9.]+|.*:.*") ? "ip:" : "dns:") + host)
                            .toList());
        }
    }

    /** @param days how long certificates are valid; the authority is valid for ten years */
    public TlsInit(Path directory, int days) {
        this.directory = directory;
        this.days = days;
    }

    public Path certificate(String name) {
        return directory.resolve(name + ".pem");
    }

    public Path key(String name) {
        return directory.resolve(name + "-key.pem");
    }

    /**
     * Issues certificates. The authority of the directory issues them; if there is none, it is made first.
     *
     * @param isRenewal whether existing files are replaced, each in one step; running nodes then take over the new ones
     * @throws FileAlreadyExistsException if it is no renewal and a file exists; nothing is written then
     */
    public void issue(List<Request> requests, boolean isRenewal) throws IOException, InterruptedException {
        if (!isRenewal) {
            for (Request request : requests) {
                refuseExisting(certificate(request.name()));
                refuseExisting(key(request.name()));
            }
        }
        Files.createDirectories(directory);
        Path work = Files.createTempDirectory(
                directory,
                ".tls-init",
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        try {
            TemporaryStore store = new TemporaryStore(work);
            store.openAuthority();
            for (Request request : requests) {
                store.issue(request);
            }
        } catch (GeneralSecurityException e) {
            throw new IOException("the certificate could not be made: " + e.getMessage(), e);
        } finally {
            remove(work);
        }
    }

    private static void refuseExisting(Path file) throws FileAlreadyExistsException {
        if (Files.exists(file)) {
            throw new FileAlreadyExistsException(file.toString());
        }
    }

    private static void remove(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    /** The key store that {@code keytool} works on, in a directory that only this user can enter. */
    private final class TemporaryStore {
        private final Path work;
        private final Path file;
        private final Path password;
        private final char[] secret;
        private int issued;

        TemporaryStore(Path work) throws IOException {
            this.work = work;
            file = work.resolve("keys.p12");
            byte[] random = new byte[PASSWORD_BYTES];
            new SecureRandom().nextBytes(random);
            secret = Base64.getUrlEncoder()
                    .withoutPadding()
                    .encodeToString(random)
                    .toCharArray();
            password = work.resolve("password");
            Files.writeString(password, new String(secret));
        }

        void openAuthority() throws IOException, InterruptedException, GeneralSecurityException {
            Path certificate = certificate(AUTHORITY);
            if (Files.exists(certificate) || Files.exists(key(AUTHORITY))) {
                List<X509Certificate> chain = PemFile.read(certificate).certificates();
                PrivateKey key = PemFile.read(key(AUTHORITY)).key(chain.get(0), Optional.empty());
                KeyStore store = KeyStore.getInstance("PKCS12");
                store.load(null, null);
                store.setKeyEntry(AUTHORITY, key, secret, chain.toArray(Certificate[]::new));
                try (OutputStream out = Files.newOutputStream(file)) {
                    store.store(out, secret);
                }
                return;
            }
            makeKey(
                    AUTHORITY,
                    "Twinbell private authority",
                    AUTHORITY_DAYS,
                    List.of("-ext", "bc:critical=ca:true,pathlen:0", "-ext", "ku:critical=keyCertSign,cRLSign"));
            publish(AUTHORITY, AUTHORITY);
        }

        void issue(Request request) throws IOException, InterruptedException, GeneralSecurityException {
            List<String> arguments = new ArrayList<>(List.of(
                    "-signer",
                    AUTHORITY,
                    "-ext",
                    "ku:critical=digitalSignature",
                    "-ext",
                    "eku=" + request.use().keyUsage));
            if (!request.hosts().isEmpty()) {
                arguments.addAll(List.of("-ext", "san=" + request.alternatives()));
            }
            // Aliases ignore case, which names do not.
            String alias = "issued-" + ++issued;
            makeKey(alias, request.name(), days, arguments);
            publish(alias, request.name());
        }

        private void makeKey(String alias, String subject, int validDays, List<String> more)
                throws IOException, InterruptedException {
            List<String> command = new ArrayList<>(List.of(
                    "-genkeypair",
                    "-keyalg",
                    "EC",
                    "-groupname",
                    "secp256r1",
                    "-validity",
                    String.valueOf(validDays),
                    "-dname",
                    "CN=" + subject,
                    "-alias",
                    alias,
                    "-storetype",
                    "PKCS12",
                    "-keystore",
                    file.toString(),
                    "-storepass:file",
                    password.toString()));
            command.addAll(more);
            keytool(command);
        }

        private void publish(String alias, String name) throws IOException, GeneralSecurityException {
            KeyStore store = KeyStore.getInstance("PKCS12");
            try (var in = Files.newInputStream(file)) {
                store.load(in, secret);
            }
            Key key = store.getKey(alias, secret);
            StringBuilder certificates = new StringBuilder();
            for (Certificate certificate : store.getCertificateChain(alias)) {
                certificates.append(pem("CERTIFICATE", certificate.getEncoded()));
            }
            move(pem("PRIVATE KEY", key.getEncoded()), key(name), "rw-------");
            move(certificates.toString(), certificate(name), "rw-r--r--");
        }

        /** Writes a file beside its place and moves it there, so that no node reads half of it. */
        private void move(String text, Path to, String permissions) throws IOException {
            Path written = work.resolve(to.getFileName());
            Files.createFile(
                    written, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            Files.writeString(written, text);
            Files.setPosixFilePermissions(written, PosixFilePermissions.fromString(permissions));
            Files.move(written, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    private static String pem(String type, byte[] content) {
        return "-----BEGIN " + type + "-----\n"
                + Base64.getMimeEncoder(PEM_LINE, "\n".getBytes(StandardCharsets.US_ASCII))
                        .encodeToString(content)
                + "\n-----END " + type + "-----\n";
    }

    /**
     * Runs the {@code keytool} of this Java runtime, the only part of the JDK that issues certificates.
     *
     * @throws IOException with what the tool said, if it fails
     */
    static void keytool(List<String> arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString()));
        // A short run gains nothing from the slower compiler.
        command.add("-J-XX:TieredStopAtLevel=1");
        command.addAll(arguments);
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException("keytool " + arguments.get(0) + " failed: " + said.strip());
        }
    }
}
