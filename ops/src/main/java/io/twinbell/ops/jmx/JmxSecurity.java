package io.twinbell.ops.jmx;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Who may come in over JMX, and whether the way is encrypted. Passwords and access files are those of the JDK's own agent
 * ({@code jmxremote.password}, {@code jmxremote.access}), so what is known of those holds here.
 *
 * @param passwords a name and a password a line, or its hash, which the JDK writes back; null for nobody is asked
 * @param access a name and {@code readonly} or {@code readwrite} a line; null together with the passwords
 * @param keys this server's key for TLS; null for no TLS
 * @param trusted certificates of clients, without which none comes in; null for clients need none
 */
public record JmxSecurity(Path passwords, Path access, Store keys, Store trusted) {
    /** Whoever reaches the port may do everything. */
    public static final JmxSecurity NONE = new JmxSecurity(null, null, null, null);

    private static final Set<PosixFilePermission> OTHERS = Set.of(
            PosixFilePermission.GROUP_READ,
            PosixFilePermission.GROUP_WRITE,
            PosixFilePermission.OTHERS_READ,
            PosixFilePermission.OTHERS_WRITE);
    private static final Set<PosixFilePermission> OTHERS_WRITING =
            Set.of(PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_WRITE);

    /** A PKCS12 or JKS file. */
    public record Store(Path file, String password) {
        /** Leaves the password out. */
        @Override
        public String toString() {
            return "Store[" + file + "]";
        }

        KeyStore load() throws IOException, GeneralSecurityException {
            KeyStore store = KeyStore.getInstance("PKCS12");
            try (InputStream in = Files.newInputStream(file)) {
                store.load(in, password.toCharArray());
            }
            return store;
        }
    }

    /** Whether somebody is asked for a password. */
    public boolean asksForPasswords() {
        return passwords != null;
    }

    /** What is wrong with the files, each naming its key; none if they can be used. */
    public List<String> problems() {
        List<String> problems = new ArrayList<>();
        if ((passwords == null) != (access == null)) {
            problems.add("jmx.passwords and jmx.access go together: "
                    + (passwords == null ? "jmx.passwords" : "jmx.access") + " is missing");
        }
        if (trusted != null && keys == null) {
            problems.add("jmx.trustStore wants jmx.keyStore: only TLS shows certificates");
        }
        modes("jmx.passwords", passwords, OTHERS, "for its owner alone (chmod 600)", problems);
        modes("jmx.access", access, OTHERS_WRITING, "for its owner alone to write (chmod 644)", problems);
        store("jmx.keyStore", keys, problems);
        store("jmx.trustStore", trusted, problems);
        return problems;
    }

    private static void modes(
            String key, Path file, Set<PosixFilePermission> refused, String expected, List<String> problems) {
        if (file == null) {
            return;
        }
        if (!Files.isReadable(file)) {
            problems.add(key + ": " + file + " can't be read");
            return;
        }
        try {
            // The file's own view and not its file store's: of that Java knows nothing in a chroot.
            PosixFileAttributeView rights = Files.getFileAttributeView(file, PosixFileAttributeView.class);
            if (rights != null && rights.readAttributes().permissions().stream().anyMatch(refused::contains)) {
                problems.add(key + ": " + file + " must be " + expected);
            }
        } catch (IOException e) {
            problems.add(key + ": " + e.getMessage());
        }
    }

    private static void store(String key, Store store, List<String> problems) {
        if (store == null) {
            return;
        }
        modes(key, store.file(), OTHERS, "for its owner alone (chmod 600)", problems);
        if (store.password() == null) {
            problems.add(key + " wants " + key + "Password");
        } else if (Files.isReadable(store.file())) {
            try {
                store.load();
            } catch (IOException | GeneralSecurityException e) {
                problems.add(key + ": " + store.file() + " can't be opened: " + e.getMessage());
            }
        }
    }
}
