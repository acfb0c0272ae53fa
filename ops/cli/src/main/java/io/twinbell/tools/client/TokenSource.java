package io.twinbell.tools.client;

import io.twinbell.node.settings.SmallFile;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Finds the token that a client sends to a node. */
@FunctionalInterface
public interface TokenSource {
    /** The token of the environment; otherwise the admin token beside this command line. */
    TokenSource USUAL = node -> {
        Optional<String> given = ofEnvironment();
        return given.isPresent() ? given : InstalledPair.adminToken(node);
    };

    /**
     * Returns empty if there is none for this address.
     *
     * @throws IOException if the file that the environment names can't be read
     */
    Optional<String> token(URI node) throws IOException;

    /** Takes the token from a pair's own file. If the file cannot be read, requests are sent without a token. */
    static TokenSource in(Path file) {
        return node -> read(file);
    }

    /** The same, after the token of the environment. */
    static TokenSource ofEnvironmentOr(Path file) {
        return node -> {
            Optional<String> given = ofEnvironment();
            return given.isPresent() ? given : read(file);
        };
    }

    private static Optional<String> ofEnvironment() throws IOException {
        String token = System.getenv("TWINBELL_TOKEN");
        String file = System.getenv("TWINBELL_TOKEN_FILE");
        if (token != null && !token.isBlank()) {
            return Optional.of(token.strip());
        }
        if (file == null || file.isBlank()) {
            return Optional.empty();
        }
        try {
            return Optional.of(SmallFile.read(Path.of(file)).strip());
        } catch (IOException e) {
            throw new IOException("Cannot read TWINBELL_TOKEN_FILE: " + e.getMessage(), e);
        }
    }

    /** Reads the file again for each request: a long command continues after the token was replaced. */
    static Optional<String> read(Path file) {
        try {
            return Files.isReadable(file) ? Optional.of(SmallFile.read(file).strip()) : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
