package io.twinbell.ha.takeover;

import io.twinbell.ha.latch.LatchSessions;
import io.twinbell.persistence.takeover.MasterLock;
import io.twinbell.persistence.takeover.OwnerRecords;

/** The interfaces through which fast takeover reaches the database, ZooKeeper and the other node. */
public record TakeoverPorts(
        MasterLock lock, OwnerRecords records, LatchSessions sessions, Probe probe, HostWatch host) {}
