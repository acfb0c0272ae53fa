package io.twinbell.node.config;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.twinbell.node.settings.SmallFile;
import io.twinbell.node.settings.TrustedFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Collectors;

/** Reads a YAML configuration file token by token, because only tokens have line numbers. */
final class YamlSettings {
    private final Path file;
    private final Settings settings;
    private final Deque<String> path = new ArrayDeque<>();
    private final Set<String> seen = new HashSet<>();

    private YamlSettings(Path file, Settings settings) {
        this.file = file;
        this.settings = settings;
    }

    static void read(Path file, Settings settings) {
        TrustedFiles.openToAll(file).ifPresent(settings::error);
        try (JsonParser parser = new YAMLFactory().createParser(text(file))) {
            new YamlSettings(file, settings).read(parser);
        } catch (NoSuchFileException e) {
            settings.error("there is no file " + file);
        } catch (JsonProcessingException e) {
            settings.error(file + " is not YAML: " + withoutExcerpt(e.getMessage()));
        } catch (IOException e) {
            settings.error(file + " can't be read: " + e.getMessage());
        }
    }

    private static String text(Path file) throws IOException {
        if (Files.notExists(file, LinkOption.NOFOLLOW_LINKS)) {
            throw new NoSuchFileException(file.toString());
        }
        return SmallFile.read(file);
    }

    /** Removes the parser's excerpt, which is indented and may contain a password. */
    private static String withoutExcerpt(String message) {
        return String.valueOf(message)
                .lines()
                .filter(line -> !line.startsWith("    "))
                .map(String::strip)
                .collect(Collectors.joining(" "));
    }

    private void read(JsonParser parser) throws IOException {
        String name = null;
        for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
            if (token == JsonToken.FIELD_NAME) {
                name = parser.currentName();
            } else if (token == JsonToken.START_OBJECT) {
                path.addLast(name == null ? "" : name + ".");
                name = null;
            } else if (token == JsonToken.END_OBJECT) {
                path.removeLast();
            } else if (token == JsonToken.START_ARRAY || name == null) {
                settings.error(source(parser) + ": only keys with a single value belong here");
                parser.skipChildren();
            } else {
                value(parser, String.join("", path) + name);
            }
        }
    }

    /** A key without a value counts as absent. */
    private void value(JsonParser parser, String key) throws IOException {
        if (!seen.add(key)) {
            settings.error(key + " is set twice (" + source(parser) + ")");
        } else if (parser.currentToken() != JsonToken.VALUE_NULL) {
            settings.set(key, new Setting(parser.getText(), source(parser)));
        }
    }

    private String source(JsonParser parser) {
        return file + ", line " + parser.currentTokenLocation().getLineNr();
    }
}
