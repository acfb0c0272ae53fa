package io.twinbell.lab.fault;

import io.twinbell.lab.own.OwnPair;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/** A fault that keeps nothing from its strike to its repair, so that constant values and two actions describe it. */
public final class PlainFault extends Fault {
    private final Draft draft;

    /** Acts on the pair. */
    @FunctionalInterface
    public interface Act {
        void on(DrillStage stage) throws DrillException, NodeException, IOException;
    }

    /** Acts on a pair that the drill has started itself. */
    @FunctionalInterface
    public interface OwnAct {
        void on(DrillStage stage, OwnPair pair) throws DrillException, NodeException, IOException;
    }

    private PlainFault(Draft draft) {
        super(draft.name, draft.description, draft.roleEffect);
        this.draft = draft;
    }

    /** Begins a description; the parameters are those of {@link Fault}. */
    public static Draft of(String name, String description, RoleEffect roleEffect) {
        return new Draft(name, description, roleEffect);
    }

    @Override
    public FaultRequirements requirements() {
        return draft.requirements;
    }

    @Override
    public Epochs epochs() {
        return draft.epochs.orElseGet(super::epochs);
    }

    @Override
    public Duration lasts() {
        return draft.lasts;
    }

    @Override
    public Optional<Duration> quietAtMost() {
        return draft.quietAtMost;
    }

    @Override
    public Optional<Duration> quietIfReady() {
        return draft.quietIfReady;
    }

    @Override
    public Optional<Duration> straggle() {
        return draft.straggle;
    }

    @Override
    public Optional<IsolatedMaster> isolatedMaster(DrillStage stage) {
        return draft.isolated.map(target -> kept(stage, target.of(stage.roles()), draft.startsFor));
    }

    @Override
    public Set<String> pages() {
        return draft.pages;
    }

    @Override
    public Set<FaultComponent> parts() {
        return draft.parts;
    }

    @Override
    public boolean isRepairedLast() {
        return draft.isRepairedLast;
    }

    @Override
    public void strike(DrillStage stage) throws DrillException, NodeException, IOException {
        draft.strike.on(this, stage);
    }

    @Override
    public void heal(DrillStage stage) throws DrillException, NodeException, IOException {
        draft.heal.on(this, stage);
    }

    @Override
    public void expect(DrillStage stage) throws DrillException, NodeException, IOException {
        draft.expect.on(stage);
    }

    /** The description of a fault. What it does not state is as in {@link Fault}. */
    public static final class Draft {
        private final String name;
        private final String description;
        private final RoleEffect roleEffect;
        private FaultRequirements requirements = FaultRequirements.ANY;
        private Optional<Epochs> epochs = Optional.empty();
        private Duration lasts = Duration.ZERO;
        private Optional<Duration> quietAtMost = Optional.empty();
        private Optional<Duration> quietIfReady = Optional.empty();
        private Optional<Duration> straggle = Optional.empty();
        private Optional<FaultTarget> isolated = Optional.empty();
        private Duration startsFor = Duration.ZERO;
        private Set<String> pages = Set.of();
        private Set<FaultComponent> parts = Set.of();
        private boolean isRepairedLast;
        private FaultAct strike;
        private FaultAct heal = (fault, stage) -> {};
        private Act expect = stage -> {};

        private interface FaultAct {
            void on(Fault fault, DrillStage stage) throws DrillException, NodeException, IOException;
        }

        private Draft(String name, String description, RoleEffect roleEffect) {
            this.name = name;
            this.description = description;
            this.roleEffect = roleEffect;
        }

        public Draft requires(FaultRequirements needed) {
            requirements = needed;
            return this;
        }

        public Draft opens(Epochs allowed) {
            epochs = Optional.of(allowed);
            return this;
        }

        public Draft lasts(Duration time) {
            lasts = time;
            return this;
        }

        public Draft quietAtMost(Duration bound) {
            quietAtMost = Optional.of(bound);
            return this;
        }

        public Draft quietIfReady(Duration bound) {
            quietIfReady = Optional.of(bound);
            return this;
        }

        /** The master's calls continue later; it may start calls for so long after the strike. */
        public Draft straggles(Duration startsFor) {
            straggle = Optional.of(startsFor);
            return this;
        }

        /** This node is cut off from calling. It may start calls for so long after the strike. */
        public Draft isolates(FaultTarget node, Duration startsFor) {
            isolated = Optional.of(node);
            this.startsFor = startsFor;
            return this;
        }

        public Draft pages(String... alerts) {
            pages = Set.of(alerts);
            return this;
        }

        public Draft breaks(FaultComponent... components) {
            parts = Set.of(components);
            return this;
        }

        public Draft isRepairedLast() {
            isRepairedLast = true;
            return this;
        }

        public Draft expects(Act check) {
            expect = check;
            return this;
        }

        /** A fault that recovers by itself. */
        public Fault strikes(Act act) {
            return strikes(act, stage -> {});
        }

        public Fault strikes(Act act, Act repair) {
            strike = (fault, stage) -> act.on(stage);
            heal = (fault, stage) -> repair.on(stage);
            return new PlainFault(this);
        }

        /** A fault that needs a pair which the drill has started itself. */
        public Fault strikesOwn(OwnAct act, OwnAct repair) {
            requirements = requirements == FaultRequirements.ANY ? FaultRequirements.OWN : requirements;
            strike = (fault, stage) -> act.on(stage, fault.ownPair(stage));
            heal = (fault, stage) -> repair.on(stage, fault.ownPair(stage));
            return new PlainFault(this);
        }
    }
}
