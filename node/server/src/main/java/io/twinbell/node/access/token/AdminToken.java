package io.twinbell.node.access.token;

import io.twinbell.node.access.AccessRole;
import io.twinbell.node.access.Principal;
import io.twinbell.node.access.PrincipalResolver;
import io.twinbell.node.settings.SmallFile;
import io.twinbell.node.settings.TrustedFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.util.Optional;
import java.util.Set;

/** The token in a file beside the configuration. A client that can read the file is an administrator of this node. */
public final class AdminToken implements PrincipalResolver {
    private static final Principal ADMIN = new Principal("the admin token", AccessRole.ADMIN, Set.of(), Set.of());
    private static final int SHORTEST = 32;

    private final byte[] hash;

    private AdminToken(String token) {
        hash = TokenText.hash(token);
    }

    /**
     * Reads the token, and creates the file with a random token if it does not exist.
     *
     * @throws IOException if the file can't be read or created, or contains no token, or if other users can read it
     */
    public static AdminToken of(Path file) throws IOException {
        createIfMissing(file);
        Optional<String> exposed = TrustedFiles.exposed(file);
        if (exposed.isPresent()) {
            throw new IOException(exposed.get());
        }
        String token = SmallFile.read(file).strip();
        if (token.length() < SHORTEST) {
            throw new IOException(file + " has no token of at least " + SHORTEST
                    + " characters; remove it, and the node makes a new one");
        }
        return new AdminToken(token);
    }

    /** The file is complete before it has its name, because the other node may read it at the same time. */
    private static void createIfMissing(Path named) throws IOException {
        if (Files.exists(named)) {
            return;
        }
        Path file = Files.isSymbolicLink(named) ? named.resolveSibling(Files.readSymbolicLink(named)) : named;
        FileAttribute<?> own = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
        Path draft = Files.createTempFile(file.toAbsolutePath().getParent(), file.getFileName() + ".", ".new", own);
        try {
            Files.writeString(draft, TokenText.random() + "\n", StandardCharsets.US_ASCII, StandardOpenOption.WRITE);
            Files.createLink(file, draft);
        } catch (FileAlreadyExistsException e) {
            // The other node was faster. Its token counts.
        } finally {
            Files.deleteIfExists(draft);
        }
    }

    /** SHA-256 of the token. */
    public byte[] hash() {
        return hash.clone();
    }

    @Override
    public Optional<Principal> recall(String credentials) {
        return resolve(credentials);
    }

    @Override
    public Optional<Principal> resolve(String credentials) {
        return ofHash(TokenText.hash(credentials));
    }

    /** Returns the principal if this is the hash of the token. */
    public Optional<Principal> ofHash(byte[] other) {
        return MessageDigest.isEqual(hash, other) ? Optional.of(ADMIN) : Optional.empty();
    }
}
