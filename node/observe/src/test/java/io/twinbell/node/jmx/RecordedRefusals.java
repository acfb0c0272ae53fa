package io.twinbell.node.jmx;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Keeps the refusals of a JMX server, each as a line without its reason. */
final class RecordedRefusals implements JmxServer.JmxRefusals {
    private final List<String> lines = new CopyOnWriteArrayList<>();

    List<String> lines() {
        return List.copyOf(lines);
    }

    @Override
    public void connection(JmxCaller client, String why) {
        lines.add(client.name() + " " + client.address() + " connection");
    }

    @Override
    public void call(JmxCaller caller, String operation, String why) {
        lines.add(caller.name() + " " + caller.address() + " " + operation);
    }
}
