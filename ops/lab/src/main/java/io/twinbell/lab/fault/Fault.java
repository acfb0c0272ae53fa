package io.twinbell.lab.fault;

import io.twinbell.lab.own.OwnPair;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.tools.check.history.History;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * A fault that a drill applies to a running pair and repairs again. {@code Faults} lists them all; {@link PlainFault}
 * describes those that need no class of their own.
 */
public abstract class Fault {
    private final String name;
    private final String description;
    private final RoleEffect roleEffect;

    /** The required effect on the roles. */
    public enum RoleEffect {
        /** The standby takes over, and exactly one epoch is opened for it. */
        SUCCESSOR,
        /** The master stays master, in its epoch. */
        SAME_MASTER,
        /** Either node may be master in the end. The fault states how many epochs may be opened. */
        ANY_MASTER
    }

    /** The least and the greatest number of epochs that a fault may open. */
    public record Epochs(int least, int most) {
        public static Epochs exactly(int number) {
            return new Epochs(number, number);
        }
    }

    /**
     * A node whose calls were held up and continue later.
     *
     * @param startedByMillis the last instant at which it may have started one
     */
    public record IsolatedMaster(String node, long startedByMillis) {}

    /**
     * A time in which the pair must not call anything.
     *
     * @param why text for people that completes "nothing may be called while …"
     */
    public record QuietPeriod(long fromMicros, long untilMicros, String why) {
        public boolean has(long micros) {
            return micros > fromMicros && micros < untilMicros;
        }
    }

    /**
     * Defines a fault.
     *
     * @param name its name on the command line
     * @param description one sentence for the help
     */
    public Fault(String name, String description, RoleEffect roleEffect) {
        this.name = name;
        this.description = description;
        this.roleEffect = roleEffect;
    }

    public final String name() {
        return name;
    }

    public final String description() {
        return description;
    }

    public final RoleEffect roleEffect() {
        return roleEffect;
    }

    /** The epochs that the fault may open. Called after the round. */
    public Epochs epochs() {
        return Epochs.exactly(roleEffect == RoleEffect.SAME_MASTER ? 0 : 1);
    }

    /** The components that the fault breaks; empty for a whole sequence of events, which cannot be combined. */
    public Set<FaultComponent> parts() {
        return Set.of();
    }

    /** Whether its repair needs working servers. */
    public boolean isRepairedLast() {
        return false;
    }

    /** The same fault with this number of repetitions; empty if the number is not an option. */
    public Optional<Fault> times(int times) {
        return Optional.empty();
    }

    /** The same fault with this duration; empty if the duration is not an option. */
    public Optional<Fault> lasting(Duration time) {
        return Optional.empty();
    }

    /** The same fault under a load of so many one-shots a second; empty if it has no such load. */
    public Optional<Fault> under(int perSecond) {
        return Optional.empty();
    }

    /** Which pairs allow the fault. */
    public FaultRequirements requirements() {
        return FaultRequirements.ANY;
    }

    /** The time between {@link #strike} and {@link #heal}, in addition to the wait for a successor. */
    public Duration lasts() {
        return Duration.ZERO;
    }

    /** The longest allowed gap without calls from the fault on; empty if the gap is only reported. */
    public Optional<Duration> quietAtMost() {
        return Optional.empty();
    }

    /** The longest allowed gap if the pair reported before the fault that it is ready for a failover. */
    public Optional<Duration> quietIfReady() {
        return Optional.empty();
    }

    /** The alerts of severity page that the shipped rules must fire during the fault. */
    public Set<String> pages() {
        return Set.of();
    }

    /**
     * The only task that the fault may delay; empty if there is none. Calls of all other tasks may then be no later
     * than {@link #quietAtMost}.
     */
    public OptionalLong delayed() {
        return OptionalLong.empty();
    }

    /**
     * For a fault that holds up the master's calls and lets them continue later: how long after the strike the master
     * may still start calls. Empty if its calls arrive at once or never.
     */
    public Optional<Duration> straggle() {
        return Optional.empty();
    }

    /** The nodes that the fault cut off from calling, as far as that can be observed. */
    public List<IsolatedMaster> kept(DrillStage stage) {
        return straggle().map(later -> kept(stage, stage.roles().master(), later)).stream()
                .toList();
    }

    /** The node that has been cut off since the latest strike, regardless of the roles. */
    public Optional<IsolatedMaster> isolatedMaster(DrillStage stage) {
        return Optional.empty();
    }

    public final IsolatedMaster kept(DrillStage stage, String node, Duration later) {
        return new IsolatedMaster(node, Math.floorDiv(stage.doneMicros(), 1000L) + later.toMillis());
    }

    /** @throws DrillException.Refused if the drill has not started the pair itself */
    public final OwnPair ownPair(DrillStage stage) throws DrillException.Refused {
        if (stage.pair() instanceof OwnPair pair) {
            return pair;
        }
        throw new DrillException.Refused(name + " requires " + requirements().words());
    }

    /** The times in which nothing may be called. */
    public List<QuietPeriod> quiet() {
        return List.of();
    }

    /** The commits that the database has lost for good, if no node knows them any more. */
    public Optional<History.LossWindow> loss() {
        return Optional.empty();
    }

    /** Prepares the pair for the fault, before the first task is created. */
    public void prepare(DrillStage stage) throws DrillException, IOException {}

    /** Applies the fault; returns when it is in effect. */
    public abstract void strike(DrillStage stage) throws DrillException, NodeException, IOException;

    /** Repairs what does not recover by itself. */
    public void heal(DrillStage stage) throws DrillException, NodeException, IOException {}

    /** Checks what else the pair must do after the repair. Not called for a fault combined with another. */
    public void expect(DrillStage stage) throws DrillException, NodeException, IOException {}

    @Override
    public String toString() {
        return name;
    }
}
