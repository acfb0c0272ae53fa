package io.twinbell.daemon.command;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.daemon.doctor.Adoption;
import io.twinbell.daemon.doctor.Doctor;
import io.twinbell.daemon.doctor.EnsembleAcl;
import io.twinbell.daemon.doctor.Findings;
import io.twinbell.node.config.LogConfig;
import io.twinbell.node.config.NodeConfig;
import io.twinbell.node.pair.view.Version;
import io.twinbell.node.settings.ConfigException;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.tools.client.CommandClock;
import io.twinbell.tools.terminal.CommandOutput;
import java.io.PrintWriter;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code doctor}: checks everything that a node depends on. */
@Command(
        name = "doctor",
        description = "Checks everything that a node with this configuration depends on. It changes nothing, and works"
                + " before the first start of the node and while it runs. Run it on each machine.",
        exitCodeList = {
            "0:all checks passed",
            "1:a check found a weakness (WARN)",
            "2:a check failed (FAIL), or wrong usage",
            "78:the configuration is invalid"
        },
        footer = {
            "  twinbell doctor --config conf/twinbell.yaml",
            "  twinbell doctor --config conf/twinbell.yaml -o json",
            "  twinbell doctor --config conf/twinbell.yaml --secure-zookeeper",
            "  twinbell doctor --config conf/twinbell.yaml --adopt",
            "  twinbell doctor --config conf/twinbell.yaml --adopt --since 2026-03-29T01:00:00Z",
            "  twinbell doctor --config conf/twinbell.yaml --adopt --since 2026-03-29T01:00:00Z --slots MISSED"
        })
final class DoctorCommand implements Callable<Integer> {
    private static final int BAD_CONFIGURATION = 78;
    private static final int REFUSED = 2;
    private static final int CHECKS = 14;

    @Spec
    private CommandSpec spec;

    @Mixin
    private ConfigOptions options;

    @Option(
            names = "--adopt",
            description = "After a deliberate move of the database or the ensemble, with both nodes stopped: record"
                    + " that the configured database and ensemble belong together.")
    private boolean adopt;

    @Option(
            names = "--since",
            paramLabel = "TIME",
            description = "With --adopt after a restore: the history is complete up to this instant, such as"
                    + " 2026-03-29T01:00:00Z. Without --slots, list the tasks that are due since then and may have run,"
                    + " and change nothing. Default: the newest heartbeat in the database.")
    private String since;

    @Option(
            names = "--slots",
            paramLabel = "ACTION",
            description = "With --adopt: POLICY lets slots that are due since then fire by the misfire policies of"
                    + " their tasks; MISSED records them as MISSED. Default: POLICY.")
    private Adoption.Slots slots;

    @Option(
            names = "--secure-zookeeper",
            description = "Give every node of the cluster's folder in ZooKeeper the access list of zookeeper.user and"
                    + " zookeeper.acl, for a folder that was created without them. The nodes may run, if they have"
                    + " these keys already.")
    private boolean secureZooKeeper;

    @Mixin
    private CommandOutput output;

    @Override
    public Integer call() {
        try {
            NodeConfig config = options.read(System.getenv());
            if (!adopt && (since != null || slots != null)) {
                throw new ParameterException(spec.commandLine(), "--since and --slots require --adopt");
            }
            if (secureZooKeeper) {
                if (adopt) {
                    throw new ParameterException(spec.commandLine(), "use either --secure-zookeeper or --adopt");
                }
                return secure(config);
            }
            return adopt ? adopt(config, instant()) : examine(config, options.readLog(System.getenv()));
        } catch (ConfigException e) {
            e.errors().forEach(spec.commandLine().getErr()::println);
            return BAD_CONFIGURATION;
        }
    }

    private int examine(NodeConfig config, LogConfig log) {
        Findings findings = new Doctor(config, log, Version.CURRENT, new CommandClock()).examine();
        PrintWriter out = spec.commandLine().getOut();
        if (output.isDocument()) {
            output.document(out, json(findings));
        } else {
            findings.all().forEach(finding -> out.println(line(finding)));
        }
        return findings.worst().ordinal();
    }

    private int secure(NodeConfig config) {
        try {
            int changed = EnsembleAcl.apply(config);
            spec.commandLine().getOut().println("closed " + changed + " nodes of ZooKeeper to other clients");
            return 0;
        } catch (IllegalStateException e) {
            spec.commandLine().getErr().println(e.getMessage());
            return REFUSED;
        }
    }

    private Optional<Instant> instant() {
        try {
            return Optional.ofNullable(since).map(OffsetDateTime::parse).map(OffsetDateTime::toInstant);
        } catch (DateTimeParseException e) {
            throw new ParameterException(
                    spec.commandLine(), "--since takes an instant such as 2026-03-29T01:00:00Z, not " + since);
        }
    }

    private int adopt(NodeConfig config, Optional<Instant> from) {
        try {
            Adoption adoption = new Adoption(config);
            boolean isPreview = from.isPresent() && slots == null;
            List<String> done = isPreview
                    ? adoption.preview(from)
                    : adoption.adopt(slots == null ? Adoption.Slots.POLICY : slots, from);
            PrintWriter out = spec.commandLine().getOut();
            if (output.isDocument()) {
                ObjectNode report = new ObjectMapper().createObjectNode();
                ArrayNode adopted = report.putArray(isPreview ? "preview" : "adopted");
                done.forEach(adopted::add);
                output.document(out, report);
            } else if (done.isEmpty()) {
                out.println("nothing to adopt: the database and the ensemble already belong together");
            } else {
                done.forEach(out::println);
            }
            return 0;
        } catch (Adoption.RefusedException | DatabaseUnavailableException | IllegalStateException e) {
            spec.commandLine().getErr().println(e.getMessage());
            return REFUSED;
        }
    }

    private static String line(Findings.Finding finding) {
        String line =
                String.format(Locale.ROOT, "%-4s  %s  %s", finding.level(), padded(finding.check()), finding.said());
        return finding.advice() == null
                ? line
                : line + System.lineSeparator() + " ".repeat(8 + CHECKS) + "-> " + finding.advice();
    }

    private static String padded(String check) {
        return check + " ".repeat(Math.max(0, CHECKS - check.length()));
    }

    private static ObjectNode json(Findings findings) {
        ObjectNode report = new ObjectMapper().createObjectNode();
        report.put("worst", findings.worst().name());
        ArrayNode all = report.putArray("findings");
        findings.all()
                .forEach(finding -> all.addObject()
                        .put("check", finding.check())
                        .put("level", finding.level().name())
                        .put("said", finding.said())
                        .put("advice", finding.advice()));
        return report;
    }
}
