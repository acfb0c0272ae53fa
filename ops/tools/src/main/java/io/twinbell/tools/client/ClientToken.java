package io.twinbell.tools.client;

import io.twinbell.ops.text.SmallFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The token that commands send: from the environment, or from the file that the environment names. */
final class ClientToken {
    private static final String VARIABLE = "TWINBELL_TOKEN";
    private static final String FILE = "TWINBELL_TOKEN_FILE";

    private ClientToken() {}

    /** Reads the file again for each request: a long command continues after the token was rotated. */
    static Optional<String> find() throws NodeException {
        String token = System.getenv(VARIABLE);
        String file = System.getenv(FILE);
        if (token != null && !token.isBlank()) {
            return Optional.of(token.strip());
        }
        if (file == null || file.isBlank()) {
            return Optional.empty();
        }
        try {
            return Optional.of(SmallFile.read(Path.of(file)).strip());
        } catch (IOException e) {
            throw new NodeException.Refused("Cannot read " + FILE + ": " + e.getMessage(), List.of());
        }
    }
}
