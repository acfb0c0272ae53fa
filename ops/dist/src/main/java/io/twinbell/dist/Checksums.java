package io.twinbell.dist;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.stream.Stream;

/** SHA-256 checksums of files in the format of {@code sha256sum}. */
final class Checksums {
    private Checksums() {}

    /** A line for every file below the directory, ordered by name. */
    static String below(Path directory) throws IOException {
        StringBuilder lines = new StringBuilder();
        try (Stream<Path> tree = Files.walk(directory)) {
            for (Path file : tree.filter(Files::isRegularFile)
                    .sorted((one, other) -> one.toString().compareTo(other.toString()))
                    .toList()) {
                lines.append(line(file, directory.relativize(file).toString()));
            }
        }
        return lines.toString();
    }

    static String line(Path file, String name) throws IOException {
        return of(file) + "  " + name + "\n";
    }

    static String of(Path file) throws IOException {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
