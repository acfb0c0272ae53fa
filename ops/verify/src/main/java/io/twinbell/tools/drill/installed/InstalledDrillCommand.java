package io.twinbell.tools.drill.installed;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.drill.ConditionPoll;
import io.twinbell.tools.drill.DrillException;
import io.twinbell.tools.drill.DrillTimeline;
import io.twinbell.tools.drill.InterruptHandler;
import io.twinbell.tools.terminal.CommandOutput;
import io.twinbell.tools.verify.VerificationText;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Unmatched;

/** The command {@code twinbell drill} of a package: one round of a drill on the installed pair. */
@Command(
        name = "drill",
        description = "Drills the installed pair: injects a fault into the master while a task fires, repairs it, and"
                + " verifies the ledger. All other drills, and drills with options, run from a clone of the source, with"
                + " scripts/drill.",
        exitCodeList = {"0:passed", "1:not passed", "2:refused, or wrong usage", "3:no node answers"},
        footer = {"  twinbell drill list", "  twinbell drill kill", "  twinbell drill switchover -o json"})
public final class InstalledDrillCommand implements Callable<Integer> {
    private static final int PASSED = 0;
    private static final int FAILED = 1;
    private static final int REFUSED = 2;
    private static final String LIST = "list";

    @Spec
    private CommandSpec spec;

    @Parameters(
            paramLabel = "NAME",
            completionCandidates = InstalledFault.Names.class,
            description = "The drill to run; list shows all drills.")
    private String name;

    /** Options of {@code scripts/drill}, which get a better answer than "unknown". */
    @Unmatched
    private final List<String> others = new ArrayList<>();

    /** Progress goes to standard error if the result is a JSON document. */
    @Mixin
    private CommandOutput output;

    @Override
    public Integer call() {
        if (name.equals(LIST) && others.isEmpty()) {
            out().println(InstalledFault.list());
            return PASSED;
        }
        ConditionPoll poll = new ConditionPoll();
        InterruptHandler interrupts = InterruptHandler.expected();
        try {
            InstalledFault fault = fault();
            DrillTimeline timeline = new DrillTimeline(output.isDocument() ? err() : out(), err(), poll::wallMicros);
            InstalledNode node = InstalledNode.find();
            return report(new InstalledDrill(node, poll, timeline).run(fault));
        } catch (DrillException.Refused e) {
            err().println("the drill cannot start: " + e.getMessage());
            return REFUSED;
        } catch (NodeException e) {
            err().println("the drill cannot start: " + e.getMessage());
            return e.exitCode();
        } catch (DrillException | IOException e) {
            err().println("the drill was aborted: " + e.getMessage());
            return FAILED;
        } finally {
            interrupts.close();
        }
    }

    private InstalledFault fault() throws DrillException.Refused {
        String instead = ". Run it on a test machine from a clone of the source: scripts/drill " + name
                + ". 'twinbell drill list' lists the drills for the installed pair";
        if (!others.isEmpty()) {
            throw new DrillException.Refused("a drill of an installed pair does not accept " + others.get(0) + instead);
        }
        if (!InstalledNode.isPackage()) {
            throw new DrillException.Refused("this command line is not that of a package" + instead);
        }
        return InstalledFault.named(name)
                .orElseThrow(() -> new DrillException.Refused("a package has no drill " + name
                        + ": it contains no servers that a drill may break" + instead));
    }

    private int report(InstalledDrill.Result result) {
        if (output.isDocument()) {
            ObjectNode json = JsonNodeFactory.instance.objectNode();
            json.put("drill", result.fault().word()).put("passed", result.passed());
            json.put("from", result.from()).put("to", result.to()).put("epoch", result.epoch());
            json.put("silenceMillis", result.silenceMillis());
            json.set("verify", VerificationText.json(result.verdict()));
            output.document(out(), json);
        } else {
            out().println("  master    " + result.from() + " -> " + result.to() + ", epoch " + result.epoch());
            out().println("  silence   " + result.silenceMillis() + " ms at most between two starts");
            VerificationText.lines(result.verdict()).forEach(line -> out().println("  " + line));
            out().println(result.passed() ? "PASSED" : "FAILED");
        }
        out().flush();
        return result.passed() ? PASSED : FAILED;
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }

    private PrintWriter err() {
        return spec.commandLine().getErr();
    }
}
