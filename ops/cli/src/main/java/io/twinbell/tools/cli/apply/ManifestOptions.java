package io.twinbell.tools.cli.apply;

import io.twinbell.tools.cli.option.CommandInput;
import io.twinbell.tools.cli.option.NodeAddresses;
import io.twinbell.tools.client.CommandClock;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.manifest.Manifest;
import io.twinbell.tools.manifest.ManifestChange;
import io.twinbell.tools.manifest.ManifestDiff;
import io.twinbell.tools.terminal.Progress;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Options that name manifest files and the apps that they describe completely. */
final class ManifestOptions {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Parameters(
            arity = "1..*",
            paramLabel = "FILE",
            description = "YAML or JSON, as export writes it; - is standard input.")
    private List<String> files;

    @Option(
            names = "--prune",
            paramLabel = "APP",
            description = "Also remove the tasks of this app that no file declares; repeatable.")
    private List<String> pruned = List.of();

    @Option(names = "--past", description = "Also create one-shots whose time has passed; they run at once.")
    private boolean past;

    /** The changes that make the pair match the files. */
    List<ManifestChange> plan(NodeAddresses nodes) throws NodeException {
        CommandInput input = new CommandInput(spec.commandLine());
        Manifest manifest = pruned.isEmpty() ? input.manifest(files) : input.possiblyEmpty(files);
        Progress progress = new Progress(spec.commandLine().getErr(), "comparing");
        return new ApplyPlan(nodes, manifest, new ManifestDiff(new CommandClock().now(), past), progress)
                .changes(pruned);
    }
}
