package io.twinbell.lab.fault.network;

import io.twinbell.lab.fault.FaultRequirements;
import io.twinbell.lab.fault.OwnFault;
import java.time.Duration;
import java.util.Optional;

/** A fault of the links between nodes and servers. */
public abstract class LinkFault extends OwnFault {
    private final FaultRequirements requirements;
    private final Expectation expectation;

    /**
     * The expectations of the pair during the fault.
     *
     * @param quietAtMost null if the gap is only reported
     */
    public record Expectation(RoleEffect roleEffect, Duration lasts, Duration quietAtMost) {}

    LinkFault(String name, String description, FaultRequirements requirements, Expectation expectation) {
        super(name, description, expectation.roleEffect());
        this.requirements = requirements;
        this.expectation = expectation;
    }

    @Override
    public final FaultRequirements requirements() {
        return requirements;
    }

    @Override
    public final Duration lasts() {
        return expectation.lasts();
    }

    @Override
    public final Optional<Duration> quietAtMost() {
        return Optional.ofNullable(expectation.quietAtMost());
    }
}
