package io.twinbell.node.console;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The files of the web console, by name. They are read once. */
public final class ConsoleFiles {
    /** The page that loads all others. */
    public static final String START = "index.html";

    private static final Map<String, String> TYPES = Map.of(
            "html", "text/html;charset=utf-8",
            "css", "text/css;charset=utf-8",
            "js", "text/javascript;charset=utf-8",
            "mjs", "text/javascript;charset=utf-8",
            "svg", "image/svg+xml");

    private static final Map<String, ConsoleFile> FILES = read(List.of(
            START,
            "console.css",
            "icon.svg",
            "main.js",
            "shell.js",
            "html.js",
            "api.js",
            "format.js",
            "pages.js",
            "parts.js",
            "activity.js",
            "catalog.js",
            "cluster.js",
            "timeline.js",
            "editor.js",
            "fields.js",
            "js-yaml.mjs"));

    private ConsoleFiles() {}

    /**
     * A file as it is served.
     *
     * @param tag the entity tag, which changes with the content
     */
    public record ConsoleFile(String type, byte[] content, String tag) {}

    /** Empty if the console has no such file. */
    public static Optional<ConsoleFile> find(String name) {
        return Optional.ofNullable(FILES.get(name));
    }

    /** The size of all files together, in bytes. */
    static long size() {
        return FILES.values().stream().mapToLong(file -> file.content().length).sum();
    }

    private static Map<String, ConsoleFile> read(List<String> names) {
        Map<String, ConsoleFile> files = new HashMap<>();
        for (String name : names) {
            byte[] content = content(name);
            String type = TYPES.get(name.substring(name.lastIndexOf('.') + 1));
            files.put(name, new ConsoleFile(type, content, tag(content)));
        }
        return Map.copyOf(files);
    }

    private static byte[] content(String name) {
        try (InputStream file = ConsoleFiles.class.getResourceAsStream(name)) {
            if (file == null) {
                throw new IllegalStateException("the console's file " + name + " is missing");
            }
            return file.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String tag(byte[] content) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(content);
            return "\"" + HexFormat.of().formatHex(hash, 0, 8) + "\"";
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
