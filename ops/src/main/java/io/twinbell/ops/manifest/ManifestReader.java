package io.twinbell.ops.manifest;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import java.io.IOException;
import org.yaml.snakeyaml.LoaderOptions;

/** Reads YAML, also of several documents, and JSON. What is there twice, and aliases, are refused rather than guessed at. */
public final class ManifestReader {
    private static final int LONGEST = 256 * 1024 * 1024;
    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();
    private static final YAMLFactory YAML = YAMLFactory.builder()
            .loaderOptions(options())
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxStringLength(LONGEST).build())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();
    private static final ObjectMapper FROM_YAML = new ObjectMapper(YAML);

    private ManifestReader() {}

    private static LoaderOptions options() {
        LoaderOptions options = new LoaderOptions();
        options.setCodePointLimit(LONGEST);
        return options;
    }

    /**
     * Adds what a text declares.
     *
     * @param source the file that it is from
     * @throws ManifestException with the line, as far as it is known
     */
    public static void read(String text, String source, Manifest into) throws ManifestException {
        boolean isJson =
                text.stripLeading().startsWith("{") || text.stripLeading().startsWith("[");
        try {
            if (!isJson) {
                refuseAliases(text, source);
            }
            MappingIterator<JsonNode> documents =
                    (isJson ? JSON : FROM_YAML).readerFor(JsonNode.class).readValues(text);
            for (int number = 1; documents.hasNextValue(); number++) {
                into.add(documents.nextValue(), number == 1 ? source : source + ", document " + number);
            }
        } catch (JsonProcessingException e) {
            throw new ManifestException(source + " is neither YAML nor JSON" + line(e) + ": " + plain(e));
        } catch (IOException e) {
            throw new ManifestException(source + " can't be read: " + e.getMessage());
        }
    }

    /** The library would take the alias's own name for a text. */
    private static void refuseAliases(String text, String source) throws IOException, ManifestException {
        try (YAMLParser parser = YAML.createParser(text)) {
            while (parser.nextToken() != null) {
                if (parser.isCurrentAlias() || isMerge(parser)) {
                    throw new ManifestException(source + ", line "
                            + parser.currentTokenLocation().getLineNr() + ": aliases and merge keys are not supported");
                }
            }
        }
    }

    private static boolean isMerge(JsonParser parser) throws IOException {
        return "<<".equals(parser.currentName());
    }

    /** What the library says is wrong, without where it was in its own terms. */
    public static String plain(JsonProcessingException e) {
        return e.getOriginalMessage()
                .replaceAll("\\s*\\((start marker )?at \\[Source:[^\\]]*\\]\\)", "")
                .replaceAll("\\s+", " ");
    }

    private static String line(JsonProcessingException e) {
        return e.getLocation() == null ? "" : ", line " + e.getLocation().getLineNr();
    }
}
