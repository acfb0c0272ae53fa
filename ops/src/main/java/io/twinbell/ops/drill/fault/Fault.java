package io.twinbell.ops.drill.fault;

import io.twinbell.ops.client.NodeException;
import io.twinbell.ops.drill.stage.DrillException;
import io.twinbell.ops.drill.stage.Stage;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

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

    /** The same, struck so often; nothing if that is not for people to say. */
    public Optional<Fault> times(int times) {
        return Optional.empty();
    }

    /** The same, going on for so long; nothing if that is not for people to say. */
    public Optional<Fault> lasting(Duration time) {
        return Optional.empty();
    }

    /** On which pairs it can be done. */
    public Venue venue() {
        return Venue.ANY;
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

    /** Returns when the fault is there. */
    public abstract void strike(Stage stage) throws DrillException, NodeException, IOException;

    /** Makes whole again what does not heal by itself. */
    public void heal(Stage stage) throws DrillException, NodeException, IOException {}

    /** Notes what the pair owes besides, once it was mended; not asked of a fault that has struck beside another. */
    public void expect(Stage stage) throws DrillException, NodeException, IOException {}

    @Override
    public String toString() {
        return name;
    }
}
