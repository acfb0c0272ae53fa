package io.twinbell.tools.drill;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.tools.client.NodeClient;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.drill.installed.InstalledDrill;
import io.twinbell.tools.drill.installed.InstalledFault;
import io.twinbell.tools.drill.installed.InstalledNode;
import io.twinbell.tools.drill.stage.ConditionPoll;
import io.twinbell.tools.drill.stage.DrillException;
import io.twinbell.tools.drill.stage.DrillTimeline;
import io.twinbell.tools.terminal.CommandOutput;
import io.twinbell.tools.verify.VerificationText;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;

/** The drill command of an installed package: the same names and exit codes, applied to the installed pair. */
final class InstalledRun {
    private static final int PASSED = 0;
    private static final int FAILED = 1;
    private static final int REFUSED = 2;
    private static final Duration ANSWER = Duration.ofSeconds(10);

    private final PrintWriter out;
    private final PrintWriter progress;
    private final PrintWriter err;
    private final CommandOutput output;

    /** Checks the other arguments. */
    @FunctionalInterface
    interface Check {
        void pass() throws DrillException.Refused;
    }

    InstalledRun(PrintWriter out, PrintWriter progress, PrintWriter err, CommandOutput output) {
        this.out = out;
        this.progress = progress;
        this.err = err;
        this.output = output;
    }

    /** Why a package cannot run a drill, and what to do instead. */
    static String needsSource(String name) {
        return "the drill " + name
                + " starts its own servers or breaks PostgreSQL and ZooKeeper, which a package does not contain."
                + " Run it on a test machine from a clone of the source: scripts/drill " + name
                + ". 'twinbell drill list' lists the drills for the installed pair";
    }

    int drill(String name, Check options) {
        if (name.equals(DrillSelection.LIST)) {
            out.println(InstalledFault.list());
            return PASSED;
        }
        ConditionPoll poll = new ConditionPoll();
        InterruptHandler interrupts = InterruptHandler.expected();
        try {
            options.pass();
            InstalledFault fault =
                    InstalledFault.named(name).orElseThrow(() -> new DrillException.Refused(needsSource(name)));
            DrillTimeline timeline = new DrillTimeline(progress, err, poll::wallMicros);
            InstalledNode node = InstalledNode.find();
            InstalledDrill.Result result = run(fault, node, new InstalledDrill(node, poll, timeline));
            store(node, ResultEntry.of(result));
            return report(result);
        } catch (DrillException.Refused e) {
            err.println("the drill cannot start: " + e.getMessage());
            return REFUSED;
        } catch (NodeException e) {
            err.println("the drill cannot start: " + e.getMessage());
            return e.exitCode();
        } catch (DrillException | IOException e) {
            err.println("the drill was aborted: " + e.getMessage());
            return FAILED;
        } finally {
            interrupts.close();
        }
    }

    private InstalledDrill.Result run(InstalledFault fault, InstalledNode node, InstalledDrill drill)
            throws DrillException, NodeException, IOException {
        try {
            return drill.run(fault);
        } catch (DrillException.Refused e) {
            throw e;
        } catch (DrillException | IOException e) {
            store(node, ResultEntry.brokenOff(fault.word(), null, String.valueOf(e.getMessage())));
            throw e;
        }
    }

    private void store(InstalledNode node, JsonNode result) throws DrillException.Refused {
        try {
            new NodeClient(node.address(), ANSWER).post(ResultEntry.PATH, result);
        } catch (NodeException e) {
            err.println("the pair did not store the result of the drill: " + e.getMessage());
        }
    }

    private int report(InstalledDrill.Result result) {
        if (output.isDocument()) {
            ObjectNode json = JsonNodeFactory.instance.objectNode();
            json.put("drill", result.fault().word()).put("passed", result.passed());
            json.put("from", result.from()).put("to", result.to()).put("epoch", result.epoch());
            json.put("silenceMillis", result.silenceMillis());
            json.set("verify", VerificationText.json(result.verdict()));
            output.document(out, json);
        } else {
            out.println("  master    " + result.from() + " -> " + result.to() + ", epoch " + result.epoch());
            out.println("  silence   " + result.silenceMillis() + " ms at most between two starts");
            VerificationText.lines(result.verdict()).forEach(line -> out.println("  " + line));
            out.println(result.passed() ? "PASSED" : "FAILED");
        }
        out.flush();
        return result.passed() ? PASSED : FAILED;
    }
}
