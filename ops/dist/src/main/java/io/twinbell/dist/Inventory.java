package io.twinbell.dist;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

/**
 * Writes the packages' inventory: a bill of materials of the libraries ({@code sbom.cdx.json}) and a checksum of every
 * file ({@code SHA256SUMS}, which {@code sha256sum -c} reads). Both are the same for the same content on any machine.
 */
public final class Inventory {
    private Inventory() {}

    /** @param arguments the staged tree, a Maven repository with the libraries and their POMs, version, timestamp */
    public static void main(String[] arguments) throws IOException {
        Path stage = Path.of(arguments[0]);
        List<SbomComponent> libraries =
                MavenRepository.at(Path.of(arguments[1])).components();
        Path bill = stage.resolve("sbom.cdx.json");
        Path sums = stage.resolve("SHA256SUMS");
        Files.deleteIfExists(sums);
        Files.writeString(bill, Sbom.of(arguments[2], Instant.parse(arguments[3]), libraries));
        Files.writeString(sums, Checksums.below(stage));
    }
}
