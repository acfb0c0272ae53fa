package io.twinbell.tools.importer.command;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.twinbell.tools.cli.option.CommandInput;
import io.twinbell.tools.cli.option.HandlerOptions;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.importer.IcsCalendar;
import io.twinbell.tools.importer.ImportCandidate;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code twinbell import ics}: imports the events of an iCalendar file. */
@Command(
        name = "ics",
        description = "Imports the events of an iCalendar file as tasks with the given handler. DTSTART, RRULE, RDATE,"
                + " EXDATE and TZID become the schedule; SUMMARY becomes the name. The data of each task has the uid and"
                + " the summary. An event that does not recur fires once.",
        exitCodeList = {
            "0:every event is imported, or would be",
            "1:an event cannot be imported, or was refused; each is reported",
            "2:wrong usage, or the file is no iCalendar file",
            "3:no node answers",
        },
        footer = {
            "  twinbell import ics shop.ics --app shop --http http://127.0.0.1:9000/event --dry-run",
            "  twinbell import ics shop.ics --app shop --java event --map-zone \"W. Europe=Europe/Berlin\" --apply",
        })
final class ImportIcsCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "FILE", description = "The iCalendar file; - is standard input.")
    private String file;

    @Option(names = "--app", paramLabel = "APP", required = true, description = "App of the tasks.")
    private String app;

    @Option(
            names = "--zone",
            paramLabel = "ZONE",
            description =
                    "Time zone of times without one. Default: X-WR-TIMEZONE of the file, or else of this machine.")
    private String zone;

    @Option(
            names = "--map-zone",
            paramLabel = "NAME=ZONE",
            description = "The time zone that the file calls by this name; repeatable.")
    private Map<String, String> zones = Map.of();

    @Mixin
    private HandlerOptions handler;

    @Mixin
    private ImportRun run;

    @Override
    public Integer call() throws NodeException {
        handler.into(JsonNodeFactory.instance.objectNode());
        String text = new CommandInput(spec.commandLine()).readImport(file);
        List<ImportCandidate> found;
        try {
            found = IcsCalendar.read(text, new IcsCalendar.Options(app, zone, zones, handler::into));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), file + ": " + e.getMessage());
        }
        return run.go(found, JsonNodeFactory.instance.objectNode());
    }
}
