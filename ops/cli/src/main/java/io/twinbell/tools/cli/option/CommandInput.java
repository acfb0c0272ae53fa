package io.twinbell.tools.cli.option;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.tools.client.ExactJson;
import io.twinbell.tools.manifest.Manifest;
import io.twinbell.tools.manifest.ManifestException;
import io.twinbell.tools.manifest.ManifestReader;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
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
    /** A manifest with every task of a large pair is shorter. */
    private static final int MAX_BYTES = 256 * 1024 * 1024;
    /** Longer than the crontabs and calendars of a large installation. */
    private static final int MAX_IMPORT = 16 * 1024 * 1024;

    /** @param file {@code -} is standard input */
    public String read(String file) {
        return read(file, MAX_BYTES);
    }

    /** A file of another scheduler, without a byte order mark. Like a path, it may also be a pipe or a device. */
    public String readImport(String file) {
        String text = read(file, MAX_IMPORT);
        int zero = text.indexOf('\0');
        if (zero >= 0) {
            throw new ParameterException(
                    line,
                    "Can't read " + file + ": line " + lineAt(text, zero) + " has a zero byte; is it UTF-8 text?");
        }
        return text.startsWith("\uFEFF") ? text.substring(1) : text;
    }

    private String read(String file, int maxBytes) {
        byte[] bytes;
        try (InputStream stream = file.equals(STANDARD_INPUT)
                ? new FilterInputStream(System.in) {
                    @Override
                    public void close() {
                        // Standard input stays open for a confirmation.
                    }
                }
                : Files.newInputStream(Path.of(file))) {
            bytes = stream.readNBytes(maxBytes + 1);
        } catch (NoSuchFileException e) {
            throw new ParameterException(line, "File " + file + " does not exist");
        } catch (IOException | IllegalArgumentException e) {
            throw new ParameterException(line, "Can't read " + file + ": " + e.getMessage());
        }
        if (bytes.length > maxBytes) {
            throw new ParameterException(line, "Can't read " + file + ": it has more than " + maxBytes + " bytes");
        }
        ByteBuffer octets = ByteBuffer.wrap(bytes);
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(octets).toString();
        } catch (CharacterCodingException e) {
            String before = new String(bytes, 0, octets.position(), StandardCharsets.UTF_8);
            throw new ParameterException(
                    line,
                    "Can't read " + file + " as UTF-8: line " + lineAt(before, before.length()) + " is not UTF-8");
        }
    }

    private static long lineAt(String text, int end) {
        return 1 + text.chars().limit(end).filter(one -> one == '\n').count();
    }

    /** The typed text, or the content of the file named after an {@code @}. */
    public String text(String typed) {
        return typed.startsWith("@") ? read(typed.substring(1)) : typed;
    }

    /** Like {@link #text}, parsed as JSON. */
    public JsonNode json(String option, String typed) {
        try {
            return ExactJson.document(text(typed));
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
