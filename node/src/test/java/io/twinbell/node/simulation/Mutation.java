package io.twinbell.node.simulation;

import io.twinbell.ha.latch.Peers;
import io.twinbell.ha.role.MasterDuties;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.epoch.EpochRegister;
import io.twinbell.persistence.ledger.claim.DueTasks;
import io.twinbell.persistence.ledger.claim.Ledger;
import io.twinbell.persistence.ledger.record.Recorder;

/** A protocol with one error. This base class has none. */
class Mutation {
    static final Mutation NONE = new Mutation();

    /** The process whose ports are wrapped. */
    record Place(Machine.Scene scene, Process process, ZooKeeperClient zooKeeper) {}

    /** Called before anything starts. */
    void prepare(Machine.Scene scene) {}

    /** Called when a process starts. */
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

    /** Whether a node enters again what a promoted server lacks. */
    boolean entersAgain() {
        return true;
    }

    SimulatedHistory history(SimulatedReplica servers) {
        return new SimulatedHistory(servers);
    }

    Peers peers(Peers real, Place place) {
        return real;
    }

    /** The clock that should continue while the machine sleeps. */
    Ticker uptime(Process process) {
        return process.uptime();
    }

    /** The faults of the seeds that look for this error. */
    Trouble trouble() {
        return Trouble.DRAWN;
    }

    /** Whether the process ignores a notification. */
    boolean forgets(Process process, String channel) {
        return false;
    }
}
