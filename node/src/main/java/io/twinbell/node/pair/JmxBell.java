package io.twinbell.node.pair;

import io.twinbell.node.alert.AlertBell;
import io.twinbell.ops.jmx.ManagementBeans;

/** Alerts, as JMX listeners hear them. */
final class JmxBell implements AlertBell {
    private volatile ManagementBeans beans;

    /** No alert is told before this is called. */
    void show(ManagementBeans shown) {
        beans = shown;
    }

    @Override
    public void rings(String alert, String key, String summary, long events) {
        beans.alert(alert, key, summary, events);
    }

    @Override
    public void givenUp(String alert, String key, String summary, String error) {
        beans.alertGivenUp(alert, key, summary, error);
    }
}
