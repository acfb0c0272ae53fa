package io.twinbell.lab.fault.network;

import io.twinbell.lab.fault.FaultComponent;
import io.twinbell.lab.fault.FaultRequirements;
import io.twinbell.lab.fault.FaultTarget;
import io.twinbell.lab.own.OwnPair;
import io.twinbell.lab.own.TcpProxy;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.lab.stage.RoleAssignment;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Fault: the connections between nodes and servers are slow, silent, half open, refused or reset. */
public final class DegradedLink extends LinkFault {
    private final List<FaultTarget> from;
    private final boolean toDatabase;
    private final Disturbance disturbance;

    /**
     * How the connections are degraded.
     *
     * @param resets the number of additional resets, at intervals
     */
    public record Disturbance(TcpProxy.ProxyBehaviour proxyBehaviour, int resets) {
        private static final Duration BETWEEN = Duration.ofMillis(500);

        public static Disturbance of(TcpProxy.ProxyBehaviour proxyBehaviour) {
            return new Disturbance(proxyBehaviour, 0);
        }

        public static Disturbance resets(int times) {
            return new Disturbance(TcpProxy.ProxyBehaviour.GOOD, times);
        }
    }

    private DegradedLink(
            String name,
            String description,
            List<FaultTarget> from,
            boolean toDatabase,
            Disturbance disturbance,
            Expectation expectation) {
        super(name, description, FaultRequirements.PROXIES, expectation);
        this.from = from;
        this.toDatabase = toDatabase;
        this.disturbance = disturbance;
    }

    public static DegradedLink toDatabase(
            String name, String description, List<FaultTarget> from, Disturbance disturbance, Expectation expectation) {
        return new DegradedLink(name, description, from, true, disturbance, expectation);
    }

    public static DegradedLink toZooKeeper(
            String name, String description, List<FaultTarget> from, Disturbance disturbance, Expectation expectation) {
        return new DegradedLink(name, description, from, false, disturbance, expectation);
    }

    @Override
    public Set<FaultComponent> parts() {
        return from.stream()
                .map(target ->
                        toDatabase ? FaultComponent.wayToDatabase(target) : FaultComponent.wayToZooKeeper(target))
                .collect(Collectors.toSet());
    }

    @Override
    public void strike(DrillStage stage, OwnPair pair) throws DrillException, IOException {
        List<TcpProxy> ways = ways(stage.roles(), pair);
        stage.undo()
                .add("restore the links", () -> ways.forEach(way -> way.setBehaviour(TcpProxy.ProxyBehaviour.GOOD)));
        stage.strike(
                "degraded the link: " + name(),
                () -> ways.forEach(way -> way.setBehaviour(disturbance.proxyBehaviour())));
        if (!disturbance.proxyBehaviour().takes()) {
            ways.forEach(TcpProxy::reset);
        }
        for (int time = 0; time < disturbance.resets(); time++) {
            stage.strike("reset the connections, time " + (time + 1), () -> ways.forEach(TcpProxy::reset));
            stage.poll().sleep(Disturbance.BETWEEN);
        }
    }

    @Override
    public void heal(DrillStage stage, OwnPair pair) throws DrillException, IOException {
        stage.heal(
                "restored the link",
                () -> ways(stage.roles(), pair).forEach(way -> way.setBehaviour(TcpProxy.ProxyBehaviour.GOOD)));
    }

    private List<TcpProxy> ways(RoleAssignment roles, OwnPair pair) {
        List<TcpProxy> ways = new ArrayList<>();
        for (FaultTarget target : from) {
            String node = target.of(roles);
            if (toDatabase) {
                ways.add(pair.databaseProxy(node));
            } else {
                ways.addAll(pair.zooKeeperProxies(node));
            }
        }
        return ways;
    }
}
