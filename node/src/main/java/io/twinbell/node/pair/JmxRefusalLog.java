package io.twinbell.node.pair;

import io.twinbell.node.access.refusal.Refusals;
import io.twinbell.node.audit.store.RefusedAttempt;
import io.twinbell.node.jmx.JmxCaller;
import io.twinbell.node.jmx.JmxRefusals;
import io.twinbell.persistence.actor.Actor;

/** Passes the refusals of the JMX server on to the audit. */
record JmxRefusalLog(Refusals refusals) implements JmxRefusals {
    @Override
    public void connection(String client, String address, String why) {
        add(RefusedAttempt.CONNECT, client, address, "connect", why);
    }

    @Override
    public void call(JmxCaller caller, String operation, String why) {
        add(RefusedAttempt.REQUEST, caller.name(), caller.address(), operation, why);
    }

    private void add(String act, String client, String address, String request, String why) {
        refusals.add(new RefusedAttempt(new Actor(client, Actor.Channel.JMX, address, request), act, why));
    }
}
