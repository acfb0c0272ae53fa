package io.twinbell.lab;

import io.twinbell.lab.fault.Fault;
import io.twinbell.lab.stage.DrilledPair;
import io.twinbell.lab.stage.RoleAssignment;
import io.twinbell.tools.client.CommandClock;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.drill.ConditionPoll;
import io.twinbell.tools.drill.DrillException;
import io.twinbell.tools.drill.DrillTimeline;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.SplittableRandom;

/** Runs a drill's rounds one after another. */
final class RoundSeries {
    private final DrillPairs pairs;
    private final FaultDrill.Options options;
    private final ConditionPoll poll;
    private final DrillTimeline timeline;
    private final PrintWriter progress;
    private final List<RoundResult> done = new ArrayList<>();
    private final List<String> brokenOff = new ArrayList<>();
    private final List<String> skipped = new ArrayList<>();

    RoundSeries(
            DrillPairs pairs,
            FaultDrill.Options options,
            ConditionPoll poll,
            DrillTimeline timeline,
            PrintWriter progress) {
        this.pairs = pairs;
        this.options = options;
        this.poll = poll;
        this.timeline = timeline;
        this.progress = progress;
    }

    /** @throws DrillException.Refused if no round could be run */
    DrillSummary run(String name, Iterator<Fault> faults, SplittableRandom random, String seedText)
            throws IOException, DrillException.Refused {
        CommandClock clock = new CommandClock();
        long start = clock.nanos();
        boolean goesOn = true;
        for (int number = 1; goesOn && faults.hasNext(); number++) {
            goesOn = round(number, faults.next(), random.split(), seedText);
        }
        return new DrillSummary(name, done, brokenOff, skipped, clock.since(start));
    }

    /** Runs one round; returns whether the next one can begin. */
    private boolean round(int number, Fault fault, SplittableRandom random, String seedText)
            throws IOException, DrillException.Refused {
        String obstacle = pairs.areOwn() ? fault.requirements().obstacle() : null;
        if (obstacle != null) {
            skip(fault + " requires " + fault.requirements().words() + ": " + obstacle);
            return true;
        }
        try {
            DrilledPair pair = pairs.pairFor(fault);
            FaultDrill drill = new FaultDrill(pair, options, poll, timeline);
            RoleAssignment roles = drill.roles();
            progress.println(fault + ", round " + number + seedText);
            RoundResult round = drill.round(fault, roles, random);
            done.add(round);
            new RoundText(progress).print(round);
            return true;
        } catch (DrillException.Refused e) {
            if (done.isEmpty() && brokenOff.isEmpty()) {
                throw e;
            }
            return breakOff(fault, e);
        } catch (DrillException.Interrupted e) {
            breakOff(fault, e);
            return false;
        } catch (DrillException | NodeException | IOException e) {
            return breakOff(fault, e);
        }
    }

    private void skip(String why) {
        if (!skipped.contains(why)) {
            skipped.add(why);
            progress.println("skipped: " + why);
            progress.flush();
        }
    }

    private boolean breakOff(Fault fault, Exception e) {
        brokenOff.add(fault + ": " + e.getMessage());
        timeline.printProblem("the drill was aborted: " + fault + ": " + e.getMessage());
        pairs.close();
        return pairs.areOwn();
    }
}
