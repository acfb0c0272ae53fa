package io.twinbell.tools.terminal;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.json.ControlCharacters;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The output format of a command: a table or sentences for people, or one document for programs. */
public final class CommandOutput {
    private static final String TEXT = "text";
    private static final List<String> NAMES = List.of("table", "json", "yaml", TEXT);

    private enum Format {
        TABLE,
        JSON,
        YAML
    }

    /** The names of the formats, for completion and help. */
    static final class Names implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return NAMES.iterator();
        }
    }

    static final class Reader implements ITypeConverter<Format> {
        @Override
        public Format convert(String text) {
            return Arrays.stream(Format.values())
                    .filter(format -> format.name().equalsIgnoreCase(text.equals(TEXT) ? NAMES.get(0) : text))
                    .findFirst()
                    .orElseThrow(() -> new TypeConversionException("must be table, json or yaml, not " + text));
        }
    }

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            defaultValue = "table",
            completionCandidates = Names.class,
            converter = Reader.class,
            description = "Output format: table (alias: text), json or yaml. Default: ${DEFAULT-VALUE}.")
    private Format format = Format.TABLE;

    /** Whether standard output must contain a document and nothing else. */
    public boolean isDocument() {
        return format != Format.TABLE;
    }

    /** Prints one document, as a line of JSON or as YAML. Only for a document format. */
    public void document(PrintWriter out, JsonNode document) {
        if (format == Format.YAML) {
            out.print(Yaml.text(document));
        } else {
            out.println(ControlCharacters.escaped(document.toString()));
        }
        out.flush();
    }

    /** Prints the document, or its text for people, which may have several lines or none. */
    public void print(PrintWriter out, JsonNode document, Supplier<String> text) {
        if (isDocument()) {
            document(out, document);
        } else {
            out.print(text.get());
            out.flush();
        }
    }

    /** Prints the document, or one line for people. */
    public void println(PrintWriter out, JsonNode document, Supplier<String> line) {
        print(out, document, () -> line.get() + System.lineSeparator());
    }

    /**
     * Prints the items as a document, or as a line each for people.
     *
     * @param none what people are told on standard error if there are no items
     */
    public void lines(CommandLine command, JsonNode items, String none, Function<JsonNode, String> line) {
        if (isDocument()) {
            document(command.getOut(), items);
        } else if (items.isEmpty()) {
            command.getErr().println(none);
        } else {
            items.forEach(item -> command.getOut().println(line.apply(item)));
        }
    }

    /** Prints one of several documents. */
    public void next(PrintWriter out, JsonNode document) {
        if (format == Format.YAML) {
            out.println("---");
        }
        document(out, document);
    }
}
