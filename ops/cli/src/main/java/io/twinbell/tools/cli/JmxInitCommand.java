package io.twinbell.tools.cli;

import io.twinbell.node.jmx.JmxInit;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code twinbell jmx-init}: generates the files that secure JMX. */
@Command(
        name = "jmx-init",
        description = "Creates passwords, access rights and a TLS key for a node's JMX. Only you can read the files,"
                + " and no file is overwritten. The command prints the configuration keys to set. It creates two users:"
                + " monitor may read; control may also call operations.",
        exitCodeList = {"0:created", "1:a file exists already, or cannot be written"},
        footer = "  twinbell jmx-init conf/jmx --host 10.0.0.11")
final class JmxInitCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "DIR", description = "Target directory; it is created if it does not exist.")
    private Path directory;

    @Option(
            names = "--host",
            paramLabel = "HOST",
            defaultValue = "127.0.0.1",
            description = "Name or address that clients use for the node. Default: ${DEFAULT-VALUE}.")
    private String host;

    @Override
    public Integer call() throws InterruptedException {
        try {
            new JmxInit(directory.toAbsolutePath().normalize(), host)
                    .make()
                    .forEach(spec.commandLine().getOut()::println);
            return 0;
        } catch (FileAlreadyExistsException e) {
            spec.commandLine().getErr().println(e.getMessage() + " exists already; nothing was created");
            return 1;
        } catch (IOException e) {
            spec.commandLine().getErr().println(e.getMessage());
            return 1;
        }
    }
}
