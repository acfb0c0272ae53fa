package io.twinbell.node.jmx;

import io.twinbell.node.tls.Keytool;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;

/** Generates the files that secure JMX: passwords, access rights, the node's key and the certificate for clients. */
public final class JmxInit {
    private static final int PASSWORD_BYTES = 24;
    private static final String ALIAS = "jmx";
    private static final String DAYS = "3650";

    private final Path directory;
    private final String host;
    private final SecureRandom random = new SecureRandom();

    /** @param host the host name or IP address that clients connect to; the certificate is issued for it */
    public JmxInit(Path directory, String host) {
        this.directory = directory;
        this.host = host;
    }

    /**
     * Generates the files, with new passwords.
     *
     * @return the lines to add to the node's configuration
     * @throws FileAlreadyExistsException if one of the files already exists; nothing is overwritten
     */
    public List<String> make() throws IOException, InterruptedException {
        Path passwords = directory.resolve("jmx.password");
        Path access = directory.resolve("jmx.access");
        Path keys = directory.resolve("jmx-key.p12");
        Path keyPassword = directory.resolve("jmx-key.password");
        Path trust = directory.resolve("jmx-clients-trust.p12");
        for (Path file : List.of(passwords, access, keys, keyPassword, trust)) {
            if (Files.exists(file)) {
                throw new FileAlreadyExistsException(file.toString());
            }
        }
        Files.createDirectories(directory);
        write(passwords, "monitor " + password() + "\ncontrol " + password() + "\n");
        write(access, "monitor readonly\ncontrol readwrite\n");
        String secret = password();
        write(keyPassword, secret + "\n");
        makeKey(keys, trust, keyPassword);
        return List.of(
                "jmx:",
                "  passwords: " + passwords,
                "  access: " + access,
                "  keyStore: " + keys,
                "# and in the node's environment: TWINBELL_JMX_KEY_STORE_PASSWORD_FILE=" + keyPassword,
                "# The first login replaces the passwords in " + passwords + " by hashes: copy them before");
    }

    private void makeKey(Path keys, Path trust, Path password) throws IOException, InterruptedException {
        String name = host.matches("[0-9.]+|.*:.*") ? "ip:" + host : "dns:" + host;
        Keytool.run(List.of(
                "-genkeypair",
                "-alias",
                ALIAS,
                "-keyalg",
                "EC",
                "-groupname",
                "secp256r1",
                "-validity",
                DAYS,
                "-dname",
                "CN=" + host,
                "-ext",
                "san=" + name,
                "-storetype",
                "PKCS12",
                "-keystore",
                keys.toString(),
                "-storepass:file",
                password.toString()));
        Files.setPosixFilePermissions(keys, PosixFilePermissions.fromString("rw-------"));
        char[] secret = Files.readString(password).strip().toCharArray();
        try {
            KeyStore trusted = KeyStore.getInstance("PKCS12");
            trusted.load(null, null);
            trusted.setCertificateEntry(
                    ALIAS,
                    new JmxSecurity.Store(keys, new String(secret)).load().getCertificate(ALIAS));
            write(trust, "");
            try (OutputStream out = Files.newOutputStream(trust)) {
                trusted.store(out, secret);
            }
        } catch (GeneralSecurityException e) {
            throw new IOException("the certificate could not be stored: " + e.getMessage(), e);
        }
    }

    private String password() {
        byte[] bytes = new byte[PASSWORD_BYTES];
        random.nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** Writes a file that only its owner can ever read, also while it is written. */
    private static void write(Path file, String text) throws IOException {
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(file, text, StandardOpenOption.TRUNCATE_EXISTING);
    }
}
