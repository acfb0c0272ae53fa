package io.twinbell.node.api;

import io.twinbell.persistence.epoch.TakeoverHold;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.ledger.SlotsInDoubt;
import java.util.List;
import java.util.Map;

/** A pair that is whatever the test says. */
final class StubCluster implements ClusterView {
    volatile Readiness readiness = new Readiness(true, "STANDBY", List.of());
    volatile Readiness master = new Readiness(false, "STANDBY", List.of("the role is STANDBY"));
    volatile SwitchoverResult switchover;
    volatile RoleMoveBody move;
    volatile PauseBody pause;
    volatile PauseBody hold;

    @Override
    public Cluster cluster() {
        return new Cluster(
                "a",
                6,
                List.of(
                        new Cluster.Node(
                                "a",
                                new Cluster.Standing("MASTER", 6, true, pause != null, hold != null, null),
                                new Cluster.Addresses("http://127.0.0.1:8081", "127.0.0.1:9081"),
                                new Cluster.Connections("CONNECTED", true, 412L),
                                new Cluster.FastTakeover(true, null),
                                new Cluster.Means(16, 2, 3),
                                new Cluster.Build("1f0c", "0.1.0", "13", 13),
                                new Cluster.Firing(12, null, 3),
                                null),
                        new Cluster.Node(
                                "b", null, null, null, null, null, null, null, "did not answer within a second")),
                null,
                new TakeoverHold(1_774_746_000_000L, Long.MAX_VALUE, Long.MAX_VALUE, "kernel update", "bob"),
                new Cluster.FailoverReady(
                        false,
                        List.of("b does not answer"),
                        new Cluster.Gap(new PromotionTimings(21.0, 48.0, 9.3, 12.0, 30.0), "as ever")),
                List.of(new Cluster.RoleEvent(
                        1_774_746_000_000L,
                        "a",
                        6,
                        new Cluster.Change("STANDBY", "MASTER", 85),
                        "latch won",
                        Map.of("fence", 1200L),
                        new SlotsInDoubt.Named(3, List.of(new Slot(4, 1_774_746_000_000L))))));
    }

    @Override
    public Cluster.Node self() {
        return cluster().nodes().get(0);
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
