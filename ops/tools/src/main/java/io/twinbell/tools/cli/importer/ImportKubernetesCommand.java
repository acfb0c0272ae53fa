package io.twinbell.tools.cli.importer;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.twinbell.tools.cli.option.CommandInput;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.importer.ImportCandidate;
import io.twinbell.tools.importer.KubernetesCronJobs;
import io.twinbell.tools.manifest.ManifestException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code twinbell import kubernetes}: imports CronJobs of Kubernetes. */
@Command(
        name = "kubernetes",
        description =
                "Imports CronJobs of Kubernetes from YAML or JSON, with time zone, concurrency policy, deadlines, retries"
                        + " and suspension. A CronJob calls a URL (--http), or runs its container's command on the node.",
        exitCodeList = {
            "0:everything is imported, or would be",
            "1:something cannot be imported, or was refused; each is reported",
            "2:wrong usage, or the file cannot be read",
            "3:no node answers",
        },
        footer = {
            "  kubectl get cronjobs -A -o yaml | twinbell import kubernetes - --app shop --http 'http://jobs/{name}' --dry-run",
            "  twinbell import kubernetes cronjobs.yaml --app shop --shell --to shop.yaml",
        })
final class ImportKubernetesCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "FILE", description = "The CronJobs; - is standard input.")
    private String file;

    @Option(names = "--app", paramLabel = "APP", required = true, description = "App of the tasks.")
    private String app;

    @Option(
            names = "--zone",
            paramLabel = "ZONE",
            defaultValue = "UTC",
            description = "Time zone of CronJobs without timeZone. Default: ${DEFAULT-VALUE}.")
    private String zone;

    @Option(names = "--http", paramLabel = "URL", description = "Call this URL, with {name} and {namespace} replaced.")
    private String http;

    @Option(
            names = "--shell",
            description = "Run the container's command on the node. It needs handlers.shell.enabled.")
    private boolean shell;

    @Mixin
    private ImportRun run;

    @Override
    public Integer call() throws NodeException {
        if (shell == (http != null)) {
            throw new ParameterException(
                    spec.commandLine(), "Give either --http URL or --shell: Twinbell starts no pods");
        }
        String text = new CommandInput(spec.commandLine()).readImport(file);
        KubernetesCronJobs.Options options = new KubernetesCronJobs.Options(app, SourceLogin.zone(spec, zone), http);
        List<ImportCandidate> found;
        try {
            found = KubernetesCronJobs.read(text, file, options);
        } catch (ManifestException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "Can't import " + file + ": " + e.getMessage(), e);
        }
        return run.go(found, JsonNodeFactory.instance.objectNode());
    }
}
