package io.twinbell.tools.importer.command;

import io.twinbell.tools.importer.ImportedHandlers;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options that say what runs in place of the other scheduler's code. */
final class CodeMapping {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--http",
            paramLabel = "URL",
            description = "Call this URL, with {job} and {instance} replaced; the job's data is the body.")
    private String http;

    @Option(
            names = "--map",
            paramLabel = "JOB=KEY",
            description = "The key of the Java handler for a job; repeatable. Default: the job's own name.")
    private Map<String, String> keys = Map.of();

    ImportedHandlers handlers() {
        if (http != null && !keys.isEmpty()) {
            throw new ParameterException(spec.commandLine(), "Give either --http or --map, not both");
        }
        return new ImportedHandlers(http, keys);
    }
}
