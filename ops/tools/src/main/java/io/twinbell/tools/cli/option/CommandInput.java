package io.twinbell.tools.cli.option;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.tools.client.ExactJson;
import io.twinbell.tools.manifest.Manifest;
import io.twinbell.tools.manifest.ManifestException;
import io.twinbell.tools.manifest.ManifestReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/**
 * Reads a command's input: files, standard input, and texts that may be in files. An unreadable input is a usage error.
 */
public record CommandInput(CommandLine line) {
    private static final String STANDARD_INPUT = "-";

    /** @param file {@code -} is standard input */
    public String read(String file) {
        try {
            return file.equals(STANDARD_INPUT)
                    ? new String(System.in.readAllBytes(), StandardCharsets.UTF_8)
                    : Files.readString(Path.of(file));
        } catch (NoSuchFileException e) {
            throw new ParameterException(line, "File " + file + " does not exist");
        } catch (IOException | IllegalArgumentException e) {
            throw new ParameterException(line, "Can't read " + file + " as UTF-8: " + e.getMessage());
        }
    }

    /** The typed text, or the content of the file named after an {@code @}. */
    public String text(String typed) {
        return typed.startsWith("@") ? read(typed.substring(1)) : typed;
    }

    /** Like {@link #text}, parsed as JSON. */
    public JsonNode json(String option, String typed) {
        try {
            return ExactJson.strict().readTree(text(typed));
        } catch (JsonProcessingException e) {
            throw new ParameterException(
                    line, option + " is not JSON (a text needs quotes, as in '\"text\"'): " + ManifestReader.plain(e));
        }
    }

    /** The manifest that the files declare together; an empty one is an error. */
    public Manifest manifest(List<String> files) {
        Manifest manifest = possiblyEmpty(files);
        if (manifest.isEmpty()) {
            throw new ParameterException(line, "Nothing is declared in " + String.join(", ", files));
        }
        return manifest;
    }

    /** The same, but allows an empty manifest. */
    public Manifest possiblyEmpty(List<String> files) {
        Manifest manifest = new Manifest();
        try {
            for (String file : files) {
                ManifestReader.read(read(file), file.equals(STANDARD_INPUT) ? "standard input" : file, manifest);
            }
            manifest.refuseDuplicates();
        } catch (ManifestException e) {
            throw new ParameterException(line, e.getMessage());
        }
        return manifest;
    }
}
