package io.twinbell.dist;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Writes the {@linkplain ProvenanceStatement provenance} of the published files, before they are signed. */
public final class Provenance {
    private Provenance() {}

    /**
     * @param arguments a directory of the source, a Maven repository with the libraries, the URI of the source or
     *     nothing, the URI of the builder, the statement's file, and the published files, separated
     *     as in a class path
     */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        Path source = Path.of(arguments[0]);
        Path statement = Path.of(arguments[4]);
        Map<String, String> files = new TreeMap<>();
        for (String name : arguments[5].split(File.pathSeparator)) {
            Path file = Path.of(name);
            files.put(file.getFileName().toString(), Checksums.of(file));
        }
        Map<String, String> tools = new TreeMap<>(Map.of(
                "java", System.getProperty("java.vm.vendor") + " " + System.getProperty("java.runtime.version"),
                "os", System.getProperty("os.name") + " " + System.getProperty("os.arch")));
        Files.writeString(
                statement,
                new ProvenanceStatement(
                                files,
                                commit(git(source, "rev-parse", "HEAD"), git(source, "status", "--porcelain")),
                                arguments[2].isEmpty() ? "" : uri("provenance.source", arguments[2]),
                                uri("provenance.builder", arguments[3]),
                                tools,
                                MavenRepository.at(Path.of(arguments[1])).components())
                        .json());
    }

    /**
     * The commit of a tree without changes.
     *
     * @param head what {@code git rev-parse HEAD} printed
     * @param changes what {@code git status --porcelain} printed
     */
    static String commit(String head, String changes) {
        if (!changes.isBlank()) {
            throw new IllegalArgumentException(
                    "the source has changes that no commit contains, so the packages have no provenance: commit or remove "
                            + changes.lines().findFirst().orElse("").strip());
        }
        return head.strip();
    }

    static String uri(String property, String value) {
        URI uri = URI.create(value);
        if (!uri.isAbsolute()) {
            throw new IllegalArgumentException("-D" + property + " must be an absolute URI, not \"" + value + "\"");
        }
        return value;
    }

    private static String git(Path source, String... command) throws IOException, InterruptedException {
        Process git = new ProcessBuilder(Stream.concat(Stream.of("git", "-C", source.toString()), Stream.of(command))
                        .toList())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String printed = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (git.waitFor() != 0) {
            throw new IOException("git " + String.join(" ", command) + " failed with " + git.exitValue());
        }
        return printed;
    }
}
