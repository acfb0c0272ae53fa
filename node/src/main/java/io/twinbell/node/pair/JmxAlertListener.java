package io.twinbell.node.pair;

import io.twinbell.node.alert.AlertListener;
import io.twinbell.node.jmx.LeadershipNotifications;

/** Sends alerts as JMX notifications. */
final class JmxAlertListener implements AlertListener {
    private final LeadershipNotifications notifications;

    JmxAlertListener(LeadershipNotifications notifications) {
        this.notifications = notifications;
    }

    @Override
    public void onAlert(String alert, String key, String summary, long events) {
        notifications.alert(alert, key, summary, events);
    }

    @Override
    public void givenUp(String alert, String key, String summary, String error) {
        notifications.alertGivenUp(alert, key, summary, error);
    }
}
