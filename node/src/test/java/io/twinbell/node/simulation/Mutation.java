package io.twinbell.node.simulation;

import io.twinbell.ha.latch.Peers;
import io.twinbell.ha.role.MasterDuties;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.epoch.EpochRegister;
import io.twinbell.persistence.ledger.claim.DueTasks;
import io.twinbell.persistence.ledger.claim.Ledger;
import io.twinbell.persistence.ledger.record.Recorder;

/** A protocol that is wrong in one place. This one is wrong in none. */
class Mutation {
    static final Mutation NONE = new Mutation();

    /** Whose ports are wrapped. */
    record Place(Machine.Scene scene, Process process, ZooKeeperClient zooKeeper) {}

    /** Before anything starts. */
    void prepare(Machine.Scene scene) {}

    /** A process starts. */
    void joins(Place place) {}

    EpochRegister register(EpochRegister real, Place place) {
        return real;
    }

    EpochRegister gateRegister(EpochRegister real, Place place) {
        return real;
    }

    Ledger ledger(Ledger real, Place place) {
        return real;
    }

    DueTasks dueTasks(DueTasks real, Place place) {
        return real;
    }

    Recorder recorder(Recorder real, Place place) {
        return real;
    }

    MasterDuties duties(MasterDuties real, Place place) {
        return real;
    }

    /** Whether what a promoted server lacks is entered there again. */
    boolean entersAgain() {
        return true;
    }

    SimulatedHistory history(SimulatedReplica servers) {
        return new SimulatedHistory(servers);
    }

    Peers peers(Peers real, Place place) {
        return real;
    }

    /** The clock that is said to go on while the machine sleeps. */
    Ticker uptime(Process process) {
        return process.uptime();
    }

    /** What goes wrong while it is looked for. */
    Trouble trouble() {
        return Trouble.DRAWN;
    }

    /** Whether the process takes no notice of a notification. */
    boolean forgets(Process process, String channel) {
        return false;
    }
}
