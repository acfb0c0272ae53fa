package io.twinbell.node.tls;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/**
 * The material of TLS files that may be replaced while they are in use. {@link #refresh} reads them again if their
 * content has changed. Files that cannot be used change nothing: a renewal may be half written, and an old certificate
 * is better than none.
 */
public final class LiveTls {
    private static final int MOST_BYTES = 1 << 20;

    private final TlsFiles files;
    private volatile Loaded loaded;
    private byte[] seen;
    private String refused;

    /** The contexts are made when they are first used: a node without TLS makes none. */
    private static final class Loaded {
        private final TlsMaterial material;
        private SSLContext server;
        private SSLContext client;

        Loaded(TlsMaterial material) {
            this.material = material;
        }

        synchronized SSLContext server() {
            if (server == null) {
                server = material.server();
            }
            return server;
        }

        synchronized SSLContext client() {
            if (client == null) {
                client = material.client();
            }
            return client;
        }
    }

    /** The result of a check of the files. */
    public enum Change {
        /** Nothing new, or a change that may still be under way. */
        NONE,
        /** New material is in use. */
        RENEWED,
        /** The files were unusable at two checks in a row. Reported once. */
        UNUSABLE
    }

    private LiveTls(TlsFiles files, Loaded loaded, byte[] seen) {
        this.files = files;
        this.loaded = loaded;
        this.seen = seen;
    }

    /** Neither a certificate nor authorities of its own. */
    public static LiveTls none() {
        return new LiveTls(TlsFiles.NONE, new Loaded(TlsMaterial.NONE), digest(TlsFiles.NONE));
    }

    /** @throws TlsFileException if a file cannot be used */
    public static LiveTls read(TlsFiles files) throws TlsFileException {
        byte[] digest = digest(files);
        return new LiveTls(files, new Loaded(TlsMaterial.read(files)), digest);
    }

    /** Checks the files, and uses new content from then on. */
    public synchronized Change refresh() {
        byte[] now = digest(files);
        if (Arrays.equals(now, seen)) {
            return Change.NONE;
        }
        try {
            loaded = new Loaded(TlsMaterial.read(files));
            seen = now;
            refused = null;
            return Change.RENEWED;
        } catch (TlsFileException e) {
            String problem = e.getMessage();
            boolean isLasting = problem.equals(refused);
            refused = problem;
            if (isLasting) {
                seen = now;
            }
            return isLasting ? Change.UNUSABLE : Change.NONE;
        }
    }

    /** Why the latest files are not in use; empty if they are. */
    public synchronized Optional<String> problem() {
        return Optional.ofNullable(refused);
    }

    public TlsFiles files() {
        return files;
    }

    public TlsMaterial material() {
        return loaded.material;
    }

    /** Returns the context of a server. It is another object after each renewal. */
    public SSLContext server() {
        return loaded.server();
    }

    /** Returns the context of a client. It is another object after each renewal. */
    public SSLContext client() {
        return loaded.client();
    }

    private static byte[] digest(TlsFiles files) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            files.all().forEach(file -> {
                digest.update(file.toString().getBytes(StandardCharsets.UTF_8));
                digest.update(content(file));
            });
            return digest.digest();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java runtime has SHA-256", e);
        }
    }

    /** A file that cannot be read differs from every file that can. Opening a pipe could block. */
    private static byte[] content(Path file) {
        if (!Files.isRegularFile(file)) {
            return new byte[] {0};
        }
        try (InputStream in = Files.newInputStream(file)) {
            return in.readNBytes(MOST_BYTES);
        } catch (IOException e) {
            return new byte[] {0};
        }
    }
}
