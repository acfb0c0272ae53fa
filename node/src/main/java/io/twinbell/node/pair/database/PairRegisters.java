package io.twinbell.node.pair.database;

import io.twinbell.node.cluster.store.ActivityMinutes;
import io.twinbell.node.cluster.store.HandlerKeys;
import io.twinbell.node.execution.store.SlotsInDoubt;
import io.twinbell.node.limit.store.FiringPauses;
import io.twinbell.node.limit.store.StandingPauses;
import io.twinbell.persistence.clock.DatabaseClock;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.cluster.ClusterRegister;
import io.twinbell.persistence.cluster.MemberRegister;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.epoch.EpochRegister;
import io.twinbell.persistence.epoch.InstructionRegister;
import io.twinbell.persistence.epoch.JdbcEpochRegister;
import io.twinbell.persistence.epoch.JdbcRoleHistory;
import io.twinbell.persistence.epoch.RoleHistory;
import io.twinbell.persistence.takeover.JdbcOwnerRecords;
import io.twinbell.persistence.takeover.OwnerRecords;

/**
 * The registers that the API uses to show and steer the pair. They use a connection of their own, so they delay no
 * heartbeat.
 */
public record PairRegisters(
        EpochRegister epochs,
        InstructionRegister instructions,
        OwnerRecords owners,
        RoleHistory history,
        FiringPauses pauses,
        ClusterRegister cluster,
        MemberRegister members,
        HandlerKeys handlers,
        SlotsInDoubt inDoubt,
        StandingPauses standingPauses,
        ActivityMinutes activity,
        DatabaseClock clock,
        Ticker ticker) {
    public static PairRegisters on(NodeDatabase database, DatabaseClock clock, Ticker ticker) {
        DedicatedConnection connection = database.cluster();
        return new PairRegisters(
                new JdbcEpochRegister(database.settings(), connection),
                new InstructionRegister(connection),
                new JdbcOwnerRecords(connection),
                new JdbcRoleHistory(connection),
                new FiringPauses(connection),
                new ClusterRegister(connection),
                new MemberRegister(connection),
                new HandlerKeys(database.pool()),
                new SlotsInDoubt(connection),
                new StandingPauses(database.pool()),
                new ActivityMinutes(database.pool()),
                clock,
                ticker);
    }
}
