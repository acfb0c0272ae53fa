package io.twinbell.ops.cli;

import picocli.CommandLine.Option;

/** Whom a command answers: a person, or a program. */
final class Output {
    private enum Format {
        text,
        json
    }

    @Option(
            names = {"-o", "--output"},
            defaultValue = "text",
            description = "${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
    private Format format;

    boolean isJson() {
        return format == Format.json;
    }
}
