package io.twinbell.tools.verify.command;

import io.twinbell.tools.cli.option.DurationConverter;
import io.twinbell.tools.cli.option.NodeAddresses;
import io.twinbell.tools.client.CommandClock;
import io.twinbell.tools.client.NodeClient;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.terminal.CommandOutput;
import io.twinbell.tools.terminal.Progress;
import io.twinbell.tools.verify.AuditVerifier;
import io.twinbell.tools.verify.VerificationResult;
import io.twinbell.tools.verify.VerificationText;
import io.twinbell.tools.verify.Verifier;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code twinbell verify}: recomputes the owed slots and looks up each in the ledger. */
@Command(
        name = "verify",
        description = "Recomputes the slots that each task owed, and checks that the ledger has each slot exactly once,"
                + " with a valid outcome.",
        exitCodeList = {"0:no violations", "1:violations found, or a node refused", "2:wrong usage", "3:no node answers"
        },
        footer = {
            "  twinbell verify --since 24h",
            "  twinbell verify --since 7d --app shop -o json",
            "  twinbell verify --audit"
        })
final class VerifyCommand implements Callable<Integer> {
    private static final Duration ANSWER = Duration.ofSeconds(30);

    @Spec
    private CommandSpec spec;

    @Mixin
    private NodeAddresses nodes;

    @Option(
            names = "--since",
            defaultValue = "24h",
            converter = DurationConverter.class,
            description = "How far back to check, such as 90m, 24h, 7d or PT24H. Default: ${DEFAULT-VALUE}.")
    private Duration since;

    @Option(
            names = "--grace",
            defaultValue = "1m",
            converter = DurationConverter.class,
            description = "Slots younger than this may be unfinished. Default: ${DEFAULT-VALUE}.")
    private Duration grace;

    @Option(names = "--app", description = "Check only the tasks of this app.")
    private String app;

    @Option(
            names = "--limit",
            defaultValue = "100",
            description = "How many violations to print; all are counted. Default: ${DEFAULT-VALUE}.")
    private int limit;

    @Option(
            names = "--audit",
            description = "Check the audit's hash chain instead: finds changed, missing, added and moved entries.")
    private boolean audit;

    @Option(
            names = "--anchor",
            paramLabel = "NUMBER:HASH",
            description = "With --audit: a seal from a log line \"audit seal\", through which the chain must lead.")
    private String anchor;

    @Mixin
    private CommandOutput output;

    @Override
    public Integer call() throws NodeException {
        if (anchor != null && !audit) {
            throw new ParameterException(spec.commandLine(), "--anchor needs --audit");
        }
        NodeClient node = new NodeClient(nodes.answering(), ANSWER);
        return audit ? verifyAudit(node) : verifyLedger(node);
    }

    private int verifyAudit(NodeClient node) throws NodeException {
        AuditVerifier.AuditResult result = new AuditVerifier(node, anchor()).verify();
        PrintWriter out = spec.commandLine().getOut();
        if (output.isDocument()) {
            output.document(out, result.json());
        } else {
            result.lines().forEach(out::println);
        }
        out.flush();
        return result.isSound() ? 0 : 1;
    }

    private AuditVerifier.Anchor anchor() {
        try {
            return anchor == null ? null : AuditVerifier.Anchor.parse(anchor);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--anchor: " + e.getMessage());
        }
    }

    private int verifyLedger(NodeClient node) throws NodeException {
        Progress progress = new Progress(spec.commandLine().getErr(), "verifying");
        Verifier.Scope scope = new Verifier.Scope(app, since, grace, Math.max(0, limit));
        VerificationResult verdict = new Verifier(node, scope, new ProgressView(progress)).verify();
        PrintWriter out = spec.commandLine().getOut();
        if (output.isDocument()) {
            output.document(out, VerificationText.json(verdict));
        } else {
            VerificationText.lines(verdict).forEach(out::println);
        }
        out.flush();
        return verdict.isSound() ? 0 : 1;
    }

    /** Shows the progress, and waits between two looks. */
    private record ProgressView(Progress progress) implements Verifier.ProgressListener {
        @Override
        public void at(long tasksDone, String task, double part) {
            progress.at(part, tasksDone + " tasks, " + task);
        }

        @Override
        public void sleep(Duration time) {
            new CommandClock().sleep(time);
        }
    }
}
