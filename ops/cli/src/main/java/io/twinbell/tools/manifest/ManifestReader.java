package io.twinbell.tools.manifest;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.twinbell.tools.client.ExactJson;
import java.io.IOException;
import java.util.List;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.events.AliasEvent;
import org.yaml.snakeyaml.events.CollectionEndEvent;
import org.yaml.snakeyaml.events.CollectionStartEvent;
import org.yaml.snakeyaml.events.Event;
import org.yaml.snakeyaml.events.ScalarEvent;
import org.yaml.snakeyaml.parser.Parser;
import org.yaml.snakeyaml.parser.ParserImpl;
import org.yaml.snakeyaml.reader.StreamReader;

/**
 * Reads manifests in YAML, also with several documents, and JSON. It rejects duplicates and aliases instead of
 * guessing.
 */
public final class ManifestReader {
    private static final int LONGEST = 256 * 1024 * 1024;
    /** As for JSON. The library's time grows with the square of the depth. */
    private static final int MAX_DEPTH = 1_000;

    private static final YAMLFactory YAML = YAMLFactory.builder()
            .loaderOptions(options())
            .streamReadConstraints(ExactJson.constraints())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();
    private static final ObjectMapper FROM_YAML = ExactJson.mapper(YAML);

    private ManifestReader() {}

    private static LoaderOptions options() {
        LoaderOptions options = new LoaderOptions();
        options.setCodePointLimit(LONGEST);
        return options;
    }

    /**
     * Adds what a text declares.
     *
     * @param source the text's file
     * @throws ManifestException with the line, as far as it is known
     */
    public static void read(String text, String source, Manifest into) throws ManifestException {
        List<JsonNode> documents = documents(text, source);
        for (int number = 1; number <= documents.size(); number++) {
            into.add(documents.get(number - 1), number == 1 ? source : source + ", document " + number);
        }
    }

    private static List<JsonNode> documents(String text, String source) throws ManifestException {
        boolean isJson =
                text.stripLeading().startsWith("{") || text.stripLeading().startsWith("[");
        try {
            if (!isJson) {
                refuseUnsupported(text, source);
            }
            try (MappingIterator<JsonNode> documents = (isJson ? ExactJson.strict() : FROM_YAML)
                    .readerFor(JsonNode.class)
                    .readValues(text)) {
                return documents.readAll();
            }
        } catch (YAMLException e) {
            throw new ManifestException(source + " is neither YAML nor JSON: "
                    + e.getMessage().lines().findFirst().orElse("") + lineOf(e));
        } catch (JsonProcessingException e) {
            throw new ManifestException(source + " is neither YAML nor JSON" + line(e) + ": " + plain(e));
        } catch (IOException e) {
            throw new ManifestException(source + " can't be read: " + e.getMessage());
        }
    }

    /**
     * Rejects deep nesting, aliases and merge keys: the library would read an alias as the text of its name, and a merge key as a
     * member. In quotes they are ordinary texts.
     */
    private static void refuseUnsupported(String text, String source) throws ManifestException {
        Parser events = new ParserImpl(new StreamReader(text), options());
        int depth = 0;
        while (!events.checkEvent(Event.ID.StreamEnd)) {
            Event event = events.getEvent();
            depth += event instanceof CollectionStartEvent ? 1 : event instanceof CollectionEndEvent ? -1 : 0;
            if (depth > MAX_DEPTH) {
                throw new ManifestException(source + ", line "
                        + (event.getStartMark().getLine() + 1) + ": is nested more than " + MAX_DEPTH + " levels deep");
            }
            boolean isMerge = event instanceof ScalarEvent scalar && scalar.isPlain() && "<<".equals(scalar.getValue());
            if (event instanceof AliasEvent || isMerge) {
                throw new ManifestException(
                        source + ", line " + (event.getStartMark().getLine() + 1)
                                + ": aliases and merge keys are not supported; a text that looks like one needs quotes");
            }
        }
    }

    /** The library's error message without its own description of the position. */
    public static String plain(JsonProcessingException e) {
        return e.getOriginalMessage()
                .replaceAll("\\s*\\((start marker )?at \\[Source:[^\\]]*\\]\\)", "")
                .replaceAll("\\s+", " ");
    }

    private static String line(JsonProcessingException e) {
        return e.getLocation() == null ? "" : ", line " + e.getLocation().getLineNr();
    }

    private static String lineOf(YAMLException e) {
        return e instanceof MarkedYAMLException marked && marked.getProblemMark() != null
                ? " (line " + (marked.getProblemMark().getLine() + 1) + ": " + marked.getProblem() + ")"
                : "";
    }
}
