package io.twinbell.node.jmx;

import io.twinbell.node.settings.SmallFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Access control and encryption of the JMX server. The password and access files have the format of the JDK's own agent
 * ({@code jmxremote.password}, {@code jmxremote.access}), so the JDK's documentation applies to them.
 *
 * @param passwords file with a role and a password on each line; the JDK replaces a password by its hash; null if
 *     clients need no password
 * @param access file with a role and {@code readonly} or {@code readwrite} on each line; null if {@code passwords} is
 *     null
 * @param keys this server's TLS key; null for no TLS
 * @param trusted trusted client certificates; null if clients need no certificate
 * @param localUsers users of this machine that may connect besides the node's own user and root; they matter only if
 *     neither passwords nor certificates are required
 */
public record JmxSecurity(Path passwords, Path access, Store keys, Store trusted, LocalUsers localUsers) {
    /** Neither passwords nor TLS: only the node's own user and root may connect, from this machine. */
    public static final JmxSecurity NONE = new JmxSecurity(null, null, null, null, LocalUsers.NONE);

    private static final Set<PosixFilePermission> OTHERS = Set.of(
            PosixFilePermission.GROUP_READ,
            PosixFilePermission.GROUP_WRITE,
            PosixFilePermission.OTHERS_READ,
            PosixFilePermission.OTHERS_WRITE);
    private static final int ANSWER_LIMIT = 1000;
    private static final Set<PosixFilePermission> OTHERS_WRITING =
            Set.of(PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_WRITE);

    /** Admits no local user besides the node's own and root. */
    public JmxSecurity(Path passwords, Path access, Store keys, Store trusted) {
        this(passwords, access, keys, trusted, LocalUsers.NONE);
    }

    /** A PKCS12 or JKS key store. */
    public record Store(Path file, String password) {
        /** Omits the password. */
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

    /**
     * Users of this machine.
     *
     * @param names user names or numeric ids; {@code *} means every user
     */
    public record LocalUsers(List<String> names) {
        /** No user besides the node's own and root. */
        public static final LocalUsers NONE = new LocalUsers(List.of());

        private static final String EVERYBODY = "*";
        private static final Pattern ID = Pattern.compile("\\d{1,10}");
        private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_.@\\\\-]{0,254}\\$?");

        public LocalUsers {
            names = List.copyOf(names);
        }

        /** Whether every user of this machine may connect. */
        public boolean isEverybody() {
            return names.contains(EVERYBODY);
        }

        List<String> problems() {
            return names.stream()
                    .filter(name -> !name.equals(EVERYBODY)
                            && !ID.matcher(name).matches()
                            && !NAME.matcher(name).matches())
                    .map(name -> "jmx.localUsers: \"" + name + "\" is neither a user name nor a user id nor \"*\"")
                    .toList();
        }

        /**
         * Resolves the users to numeric ids. The system command {@code id} knows the users of every configured
         * directory service.
         */
        Set<Long> ids() throws IOException {
            Set<Long> ids = new HashSet<>();
            for (String name : names) {
                ids.add(Long.parseLong(ID.matcher(name).matches() ? name : askForId(name)));
            }
            return ids;
        }

        private static String askForId(String name) throws IOException {
            Process process = new ProcessBuilder("id", "-u", name)
                    .redirectErrorStream(true)
                    .start();
            process.getOutputStream().close();
            String said = new String(process.getInputStream().readNBytes(ANSWER_LIMIT), StandardCharsets.UTF_8).strip();
            try {
                if (process.waitFor() != 0 || !ID.matcher(said).matches()) {
                    throw new IOException(
                            "jmx.localUsers: user \"" + name + "\" does not exist on this machine: " + said);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("jmx.localUsers: interrupted while looking up the id of " + name, e);
            }
            return said;
        }
    }

    /** Whether a client must give a password. */
    public boolean asksForPasswords() {
        return passwords != null;
    }

    /** Whether a client must authenticate, by a password or a certificate. */
    public boolean asksForProof() {
        return asksForPasswords() || trusted != null;
    }

    /** Problems of the files, each naming its configuration key; empty if the files can be used. */
    public List<String> problems() {
        List<String> problems = new ArrayList<>();
        if ((passwords == null) != (access == null)) {
            problems.add("jmx.passwords and jmx.access must both be set: "
                    + (passwords == null ? "jmx.passwords" : "jmx.access") + " is missing");
        }
        if (trusted != null && keys == null) {
            problems.add("jmx.trustStore requires jmx.keyStore: only TLS checks client certificates");
        }
        modes("jmx.passwords", passwords, OTHERS, "accessible only to its owner (chmod 600)", problems);
        modes("jmx.access", access, OTHERS_WRITING, "writable only by its owner (chmod 644)", problems);
        if (passwords != null && access != null && problems.isEmpty()) {
            problems.addAll(JmxRoles.problems(passwords, access));
        }
        problems.addAll(localUsers.problems());
        store("jmx.keyStore", keys, problems);
        store("jmx.trustStore", trusted, problems);
        return problems;
    }

    private static void modes(
            String key, Path file, Set<PosixFilePermission> refused, String expected, List<String> problems) {
        if (file == null) {
            return;
        }
        try {
            SmallFile.check(file);
        } catch (IOException e) {
            problems.add(key + ": " + file + " can't be read: " + e.getMessage());
            return;
        }
        try {
            // Uses the file's view, not the file store's: in a chroot Java knows nothing about the file store.
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
        modes(key, store.file(), OTHERS, "accessible only to its owner (chmod 600)", problems);
        if (store.password() == null) {
            problems.add(key + " requires " + key + "Password");
        } else if (Files.isRegularFile(store.file()) && Files.isReadable(store.file())) {
            try {
                store.load();
            } catch (IOException | GeneralSecurityException e) {
                problems.add(key + ": " + store.file()
                        + " can't be opened: it is not a PKCS12 or JKS file, or the password is wrong ("
                        + (e.getMessage() == null ? e : e.getMessage()) + ")");
            }
        }
    }
}
