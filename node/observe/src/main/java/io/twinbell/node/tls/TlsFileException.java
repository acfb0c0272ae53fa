package io.twinbell.node.tls;

import java.io.IOException;
import java.nio.file.Path;

/** A file with a key or with certificates cannot be used. The message names the file and says what is wrong. */
public final class TlsFileException extends IOException {
    private static final long serialVersionUID = 1L;

    TlsFileException(Path file, String problem) {
        super(file + ": " + problem);
    }

    TlsFileException(Path file, String problem, Throwable cause) {
        super(file + ": " + problem, cause);
    }
}
