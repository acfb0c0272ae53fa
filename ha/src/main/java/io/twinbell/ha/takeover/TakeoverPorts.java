package io.twinbell.ha.takeover;

import io.twinbell.ha.latch.LatchSessions;
import io.twinbell.persistence.takeover.MasterLock;
import io.twinbell.persistence.takeover.OwnerRecords;

/** What fast takeover reaches the world by. */
public record TakeoverPorts(
        MasterLock lock, OwnerRecords records, LatchSessions sessions, Probe probe, HostWatch host) {}
