package io.twinbell.node.api;

import io.twinbell.node.api.cluster.ClusterView;
import io.twinbell.node.api.cluster.ClusterView.Readiness;
import io.twinbell.node.api.cluster.ClusterView.SwitchoverResult;
import io.twinbell.node.api.cluster.PairState;
import io.twinbell.node.api.cluster.PairState.PromotionTimings;
import io.twinbell.node.api.cluster.RoleMoveBody;
import io.twinbell.node.api.exchange.PauseBody;
import io.twinbell.node.execution.store.SlotsInDoubt;
import io.twinbell.node.settings.EffectiveSetting;
import io.twinbell.persistence.cluster.Pause;
import io.twinbell.persistence.epoch.TakeoverHold;
import io.twinbell.persistence.ledger.Slot;
import java.util.List;
import java.util.Map;

/** A pair in any state that a test sets. */
final class StubCluster implements ClusterView {
    volatile Readiness readiness = new Readiness(true, "STANDBY", List.of());
    volatile Readiness master = new Readiness(false, "STANDBY", List.of("the role is STANDBY"));
    volatile SwitchoverResult switchover;
    volatile RoleMoveBody move;
    volatile PauseBody pause;
    volatile PauseBody hold;
    volatile List<Pause> standing = List.of();
    volatile List<String> addresses = List.of("http://127.0.0.1:8081");

    @Override
    public List<String> addresses() {
        return addresses;
    }

    @Override
    public PairState pairState() {
        return new PairState(
                "a",
                6,
                List.of(
                        new PairState.Node(
                                "a",
                                new PairState.ElectionState("MASTER", 6, true, pause != null, hold != null, null),
                                new PairState.Addresses("http://127.0.0.1:8081", "127.0.0.1:9081"),
                                new PairState.ConnectionStates("CONNECTED", true, 412L),
                                new PairState.FastTakeoverState(true, null),
                                new PairState.NodeResources(16, 2, 4, 250, 3),
                                new PairState.Build("1f0c", "0.1.0", "13", 13),
                                new PairState.Firing(12, null, 3, standing.size(), 7, List.of()),
                                null),
                        new PairState.Node(
                                "b", null, null, null, null, null, null, null, "did not answer within a second")),
                null,
                standing,
                new TakeoverHold(1_774_746_000_000L, Long.MAX_VALUE, Long.MAX_VALUE, "kernel update", "bob"),
                new PairState.FailoverReady(
                        false,
                        List.of("b does not answer"),
                        List.of(),
                        new PairState.Gap(new PromotionTimings(21.0, 48.0, 9.3, 12.0, 30.0), "as ever")),
                List.of(new PairState.RoleEvent(
                        1_774_746_000_000L,
                        "a",
                        6,
                        new PairState.Change("STANDBY", "MASTER", 85),
                        "latch won",
                        Map.of("fence", 1200L),
                        new SlotsInDoubt.SlotList(3, List.of(new Slot(4, 1_774_746_000_000L))))));
    }

    @Override
    public PairState.Node self() {
        return pairState().nodes().get(0);
    }

    @Override
    public List<EffectiveSetting> settings() {
        return List.of(new EffectiveSetting("http.port", "8081", "conf/a.yaml, line 3"));
    }

    @Override
    public Readiness ready() {
        return readiness;
    }

    @Override
    public Readiness master() {
        return master;
    }

    @Override
    public SwitchoverResult switchover(RoleMoveBody wish) {
        move = wish;
        return switchover;
    }

    @Override
    public SwitchoverResult failover(RoleMoveBody wish) {
        move = wish;
        return switchover;
    }

    @Override
    public void hold(PauseBody wish) {
        hold = wish;
    }

    @Override
    public void release() {
        hold = null;
    }

    @Override
    public void pause(PauseBody wish) {
        pause = wish;
    }

    @Override
    public void resume() {
        pause = null;
    }

    @Override
    public String metricsText() {
        return "# TYPE twinbell_up gauge\ntwinbell_up 1\n";
    }
}
