package io.twinbell.node.pair;

import io.twinbell.node.api.SwitchoverResult;
import io.twinbell.persistence.database.Ticker;
import io.twinbell.persistence.epoch.EpochRegister;
import io.twinbell.persistence.epoch.EpochRow;
import java.time.Duration;
import java.util.List;

/** Has the master hand over, from either node: the request goes through the database. */
final class Switchover {
    private static final Duration BOUND = Duration.ofSeconds(10);
    private static final Duration LOOK_AGAIN = Duration.ofMillis(20);

    private final String nodeId;
    private final EpochRegister register;
    private final EpochSignal signal;
    private final Ticker ticker;

    Switchover(String nodeId, EpochRegister register, EpochSignal signal, Ticker ticker) {
        this.nodeId = nodeId;
        this.register = register;
        this.signal = signal;
        this.ticker = ticker;
    }

    /** @param standbys the nodes that stand in the election as standby */
    SwitchoverResult run(String reason, List<String> standbys) {
        EpochRow before = register.read();
        if (!before.isOwnerAlive()) {
            return new SwitchoverResult.Refused("there is no master to hand over");
        }
        if (standbys.isEmpty()) {
            return new SwitchoverResult.Refused("there is no standby that could take over");
        }
        long began = ticker.nanos();
        register.askToHandOver(before.epoch(), nodeId, reason);
        while (ticker.nanos() - began < BOUND.toNanos()) {
            EpochRow now = register.read();
            if (now.epoch() > before.epoch()) {
                long millis = (ticker.nanos() - began) / 1_000_000;
                return new SwitchoverResult.Done(before.node(), now.node(), now.epoch(), millis);
            }
            signal.await(LOOK_AGAIN);
        }
        return new SwitchoverResult.TimedOut("node " + before.node() + " was asked to hand over " + BOUND.toSeconds()
                + " s ago, and no other node has opened an epoch yet");
    }
}
