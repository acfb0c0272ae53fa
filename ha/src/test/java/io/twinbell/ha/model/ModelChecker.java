package io.twinbell.ha.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.concurrent.TimeUnit;
import tlc2.TLC;

/** Runs TLC on a module of {@code ha/model}. TLC's output is in {@code target/model/MODULE}. */
final class ModelChecker {
    private static final Path MODEL = Path.of("model");
    private static final Path TARGET = Path.of("target", "model");
    /** TLC's exit codes. */
    static final int SOUND = 0;

    static final int INVARIANT_VIOLATED = 12;
    static final int PROPERTY_VIOLATED = 13;

    private final String module;

    ModelChecker(String module) {
        this.module = module;
    }

    /** TLC's result and output. */
    record Checked(int exitCode, String said) {
        void violates(String claim) {
            boolean isOfAState = said.contains("Invariant " + claim + " is violated");
            assertTrue(isOfAState || said.contains("Action property " + claim + " is violated"), said);
            assertEquals(isOfAState ? INVARIANT_VIOLATED : PROPERTY_VIOLATED, exitCode);
        }

        void isSound() {
            assertEquals(SOUND, exitCode, said);
            assertTrue(said.contains("Model checking completed. No error has been found."), said);
        }
    }

    /** @param replacements pairs of texts: the text in the configuration, and the one that replaces it */
    Checked check(String name, String configuration, String... replacements) throws Exception {
        Path folder = TARGET.resolve(module.replace(".tla", "")).resolve(name.replace(' ', '-'));
        Files.createDirectories(folder);
        Files.copy(MODEL.resolve(module), folder.resolve(module), StandardCopyOption.REPLACE_EXISTING);
        String text = Files.readString(MODEL.resolve(configuration));
        for (int i = 0; i < replacements.length; i += 2) {
            assertTrue(text.contains(replacements[i]), replacements[i]);
            text = text.replace(replacements[i], replacements[i + 1]);
        }
        Files.writeString(folder.resolve(module.replace(".tla", ".cfg")), text);
        return run(folder);
    }

    /** Runs TLC in its own process, because it keeps its state in static fields. */
    private Checked run(Path folder) throws IOException, InterruptedException, URISyntaxException {
        Path said = folder.resolve("tlc.txt");
        Path jar = Path.of(
                TLC.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        Process tlc = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-Xmx1g",
                        "-Djava.io.tmpdir=.",
                        "-cp",
                        jar.toString(),
                        "tlc2.TLC",
                        "-cleanup",
                        // With several workers, the order of the found errors differs from run to run.
                        "-workers",
                        "1",
                        module))
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
        try {
            assertTrue(tlc.waitFor(30, TimeUnit.MINUTES), "TLC has not come to an end");
        } finally {
            tlc.destroyForcibly();
        }
        return new Checked(tlc.exitValue(), Files.readString(said));
    }
}
