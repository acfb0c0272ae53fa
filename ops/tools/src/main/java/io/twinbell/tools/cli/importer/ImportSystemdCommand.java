package io.twinbell.tools.cli.importer;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.importer.ImportCandidate;
import io.twinbell.tools.importer.systemd.TimerUnits;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code twinbell import systemd}: imports timers of systemd. */
@Command(
        name = "systemd",
        description =
                "Imports the timers of systemd from directories with unit files, each with the command of its service."
                        + " Calendar events, intervals, delays and users are understood. Disable the timers before the tasks"
                        + " fire. Nodes run commands only with handlers.shell.enabled.",
        exitCodeList = {
            "0:everything is imported, or would be",
            "1:something cannot be imported, or was refused; each is reported",
            "2:wrong usage, or the directory cannot be read",
            "3:no node answers",
        },
        footer = {
            "  twinbell import systemd /etc/systemd/system --app host1 --sudo --dry-run",
            "  twinbell import systemd /etc/systemd/system /usr/lib/systemd/system --app host1 --node-user root --to host1.yaml",
        })
final class ImportSystemdCommand implements Callable<Integer> {
    /** Longer files are not units. */
    private static final int LONGEST = 1024 * 1024;

    private static final int MAX_FILES = 20_000;
    /** All units are in memory at once. */
    private static final int MAX_TOTAL = 64 * 1024 * 1024;

    @Spec
    private CommandSpec spec;

    @Parameters(
            paramLabel = "DIRECTORY",
            arity = "1..*",
            description = "Directories with .timer and .service files. Of two files with one name the first counts.")
    private List<Path> directories;

    @Option(names = "--app", paramLabel = "APP", required = true, description = "App of the tasks.")
    private String app;

    @Option(
            names = "--zone",
            paramLabel = "ZONE",
            description = "Time zone of calendar events that name none. Default: the zone of this machine.")
    private String zone;

    @Option(
            names = "--node-user",
            paramLabel = "USER",
            description = "The user that the nodes run as; services of this user need no sudo.")
    private String nodeUser;

    @Option(names = "--sudo", description = "Run the services of other users with sudo -n -u USER.")
    private boolean sudo;

    @Mixin
    private ImportRun run;

    private final List<ImportCandidate> left = new ArrayList<>();
    private long total;

    @Override
    public Integer call() throws NodeException {
        Map<String, String> files = new TreeMap<>();
        directories.forEach(directory -> read(directory, "", files));
        List<ImportCandidate> found = new ArrayList<>(left);
        found.addAll(TimerUnits.read(files, new TimerUnits.Options(app, SourceLogin.zone(spec, zone), nodeUser, sudo)));
        if (found.isEmpty()) {
            throw new ParameterException(spec.commandLine(), "There is no .timer file in " + directories);
        }
        return run.go(found, JsonNodeFactory.instance.objectNode());
    }

    /** @param prefix the name of the directory of drop-ins, with a slash */
    private void read(Path directory, String prefix, Map<String, String> files) {
        try (Stream<Path> entries = Files.list(directory)) {
            List<Path> first = entries.limit(MAX_FILES + 1).sorted().toList();
            if (first.size() > MAX_FILES) {
                throw new ParameterException(
                        spec.commandLine(), "Can't read " + directory + ": it has more than " + MAX_FILES + " files");
            }
            for (Path entry : first) {
                String name = entry.getFileName().toString();
                boolean isUnit = name.matches(prefix.isEmpty() ? ".+\\.(timer|service)" : ".+\\.conf");
                if (isUnit && Files.isRegularFile(entry)) {
                    files.putIfAbsent(prefix + name, text(entry));
                    refuseTooMany(directory, files);
                } else if (isUnit && Files.isSymbolicLink(entry) && isMask(entry)) {
                    files.putIfAbsent(prefix + name, "");
                } else if (isUnit) {
                    left.add(ImportCandidate.left(
                            prefix + name, entry.toString(), "is not a regular file, or a link to none"));
                } else if (prefix.isEmpty() && name.endsWith(".d") && Files.isDirectory(entry)) {
                    read(entry, name + "/", files);
                }
            }
        } catch (UncheckedIOException | IOException e) {
            throw new ParameterException(spec.commandLine(), "Can't read " + directory + ": " + e.getMessage(), e);
        }
    }

    private void refuseTooMany(Path directory, Map<String, String> files) {
        if (files.size() > MAX_FILES || total > MAX_TOTAL) {
            throw new ParameterException(
                    spec.commandLine(),
                    "Can't read " + directory + ": the units are more than " + MAX_FILES + " files or " + MAX_TOTAL
                            + " bytes");
        }
    }

    private String text(Path file) throws IOException {
        total += Files.size(file);
        if (Files.size(file) > LONGEST) {
            throw new ParameterException(
                    spec.commandLine(), "Can't read " + file + ": it has more than " + LONGEST + " bytes");
        }
        try {
            return Files.readString(file);
        } catch (CharacterCodingException e) {
            throw new ParameterException(spec.commandLine(), "Can't read " + file + " as UTF-8", e);
        }
    }

    private static boolean isMask(Path link) throws IOException {
        return Files.readSymbolicLink(link).equals(Path.of("/dev/null"));
    }
}
