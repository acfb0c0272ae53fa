package io.twinbell.tools.drill.fault;

import io.twinbell.tools.check.History;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.drill.stage.DrillException;
import io.twinbell.tools.drill.stage.DrillStage;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** Something that is done to a running pair, and undone again. Each is a class of this package, named in {@link Faults}. */
public abstract class Fault {
    private final String name;
    private final String description;
    private final Aftermath aftermath;

    /** What must become of the roles. */
    public enum Aftermath {
        /** The standby takes over, and one epoch is opened for it. */
        SUCCESSOR,
        /** The master stays what it is, in its epoch. */
        SAME_MASTER,
        /** It may be either in the end; how many epochs are opened on the way, the fault says. */
        ANY_MASTER
    }

    /** How many epochs a fault gives reason to open, at least and at most. */
    public record Epochs(int least, int most) {
        static Epochs exactly(int number) {
            return new Epochs(number, number);
        }
    }

    /**
     * A node whose calls were kept back, and go on later.
     *
     * @param startedByMillis the last instant at which it may have started one
     */
    public record Kept(String node, long startedByMillis) {}

    /**
     * A time in which the pair must not call anything.
     *
     * @param why for people, in the words of "nothing may be called while …"
     */
    public record Quiet(long fromMicros, long untilMicros, String why) {
        public boolean has(long micros) {
            return micros > fromMicros && micros < untilMicros;
        }
    }

    /**
     * A fault.
     *
     * @param name what the command line calls it
     * @param description for its help, one sentence
     */
    Fault(String name, String description, Aftermath aftermath) {
        this.name = name;
        this.description = description;
        this.aftermath = aftermath;
    }

    public final String name() {
        return name;
    }

    public final String description() {
        return description;
    }

    public final Aftermath aftermath() {
        return aftermath;
    }

    /** Asked when the round is over. */
    public Epochs epochs() {
        return Epochs.exactly(aftermath == Aftermath.SAME_MASTER ? 0 : 1);
    }

    /** What it breaks; nothing if it is a whole course of events, which goes with no other fault. */
    Set<FaultComponent> parts() {
        return Set.of();
    }

    /** Whether mending it takes servers that work. */
    boolean isMendedLast() {
        return false;
    }

    /** The same, struck so often; nothing if that is not for people to say. */
    public Optional<Fault> times(int times) {
        return Optional.empty();
    }

    /** The same, going on for so long; nothing if that is not for people to say. */
    public Optional<Fault> lasting(Duration time) {
        return Optional.empty();
    }

    /** On which pairs it can be done. */
    public FaultRequirements requirements() {
        return FaultRequirements.ANY;
    }

    /** How long it is left alone between {@link #strike} and {@link #heal}; a successor is waited for besides. */
    public Duration lasts() {
        return Duration.ZERO;
    }

    /** How long it may be quiet at most, from the fault on; empty if that is only told. */
    public Optional<Duration> quietAtMost() {
        return Optional.empty();
    }

    /** The same, where the pair said before the fault that it is ready for a failover. */
    public Optional<Duration> quietIfReady() {
        return Optional.empty();
    }

    /** The alerts of severity page that have to ring while it lasts, by the shipped rules. */
    public Set<String> pages() {
        return Set.of();
    }

    /** The one task that the fault may make late, if it is one: no call of another may then be later than {@link #quietAtMost}. */
    public OptionalLong delayed() {
        return OptionalLong.empty();
    }

    /**
     * For a fault that keeps the master's calls back and lets them go on later: how long after the strike it may still
     * have started some. Empty if what it calls arrives at once or never.
     */
    public Optional<Duration> straggle() {
        return Optional.empty();
    }

    /** The nodes that it kept from calling, as far as that may show. */
    public List<Kept> kept(DrillStage stage) {
        return straggle().map(later -> kept(stage, stage.roles().master(), later)).stream()
                .toList();
    }

    /** The node that it keeps from calling since it struck just now, whatever becomes of the roles. */
    Optional<Kept> keeps(DrillStage stage) {
        return Optional.empty();
    }

    final Kept kept(DrillStage stage, String node, Duration later) {
        return new Kept(node, Math.floorDiv(stage.doneMicros(), 1000L) + later.toMillis());
    }

    /** The times in which nothing may be called at all. */
    public List<Quiet> quiet() {
        return List.of();
    }

    /** The commits that the database has lost for good, if it lost some that no node knows of any more. */
    public Optional<History.Loss> loss() {
        return Optional.empty();
    }

    /** Makes the pair ready for the fault, before the first task is created. */
    public void prepare(DrillStage stage) throws DrillException, IOException {}

    /** Returns when the fault is there. */
    public abstract void strike(DrillStage stage) throws DrillException, NodeException, IOException;

    /** Makes whole again what does not heal by itself. */
    public void heal(DrillStage stage) throws DrillException, NodeException, IOException {}

    /** Notes what the pair owes besides, once it was mended; not asked of a fault that has struck beside another. */
    public void expect(DrillStage stage) throws DrillException, NodeException, IOException {}

    @Override
    public String toString() {
        return name;
    }
}
