package io.twinbell.node.pair;

import io.twinbell.node.alert.AlertListener;
import io.twinbell.ops.jmx.ManagementBeans;

/** Sends alerts as JMX notifications. */
final class JmxAlertListener implements AlertListener {
    private volatile ManagementBeans beans;

    /** Sets the beans that send the notifications. Must be called before the first alert. */
    void show(ManagementBeans shown) {
        beans = shown;
    }

    @Override
    public void onAlert(String alert, String key, String summary, long events) {
        beans.alert(alert, key, summary, events);
    }

    @Override
    public void givenUp(String alert, String key, String summary, String error) {
        beans.alertGivenUp(alert, key, summary, error);
    }
}
