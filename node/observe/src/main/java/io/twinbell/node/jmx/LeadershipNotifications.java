package io.twinbell.node.jmx;

import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import javax.management.AttributeChangeNotification;
import javax.management.MBeanNotificationInfo;
import javax.management.Notification;
import javax.management.NotificationBroadcasterSupport;
import javax.management.ObjectName;

/**
 * Sends a JMX notification for every role change and alert to the listeners of the Leadership MBean, on the caller's
 * thread. It may be created before the MBean is registered; there are no listeners until then.
 */
public final class LeadershipNotifications extends NotificationBroadcasterSupport {
    static final String ALERT = "io.twinbell.alert";
    static final String ALERT_GIVEN_UP = "io.twinbell.alert.givenUp";

    static final ObjectName SOURCE = ManagementBeans.name("Leadership");

    private final InstantSource clock;
    private final AtomicLong sequence = new AtomicLong();

    /** @param clock gives the timestamps of notifications */
    public LeadershipNotifications(InstantSource clock) {
        super(
                new MBeanNotificationInfo(
                        new String[] {AttributeChangeNotification.ATTRIBUTE_CHANGE},
                        AttributeChangeNotification.class.getName(),
                        "The node's role changed. The message gives the old and the new role and the reason; the"
                                + " user data contains the epoch."),
                new MBeanNotificationInfo(
                        new String[] {ALERT, ALERT_GIVEN_UP},
                        Notification.class.getName(),
                        "An alert is about to be delivered, or could not be delivered. The message is its summary;"
                                + " the user data contains its name, its key, and the number of events or the error."));
        this.clock = clock;
    }

    /** Notifies of a role change. Roles are spelled as in the Role attribute. */
    public void roleChanged(String from, String to, String reason, long epoch) {
        AttributeChangeNotification change = new AttributeChangeNotification(
                SOURCE,
                sequence.incrementAndGet(),
                clock.millis(),
                from + " → " + to + ": " + reason,
                "Role",
                String.class.getName(),
                from,
                to);
        change.setUserData(Map.of("epoch", epoch));
        sendNotification(change);
    }

    /** Notifies that an alert with this number of events is about to be delivered. */
    public void alert(String name, String key, String summary, long events) {
        send(ALERT, summary, Map.of("name", name, "key", key, "events", events));
    }

    /**
     * Notifies that the delivery of an alert was given up.
     *
     * @param error the reason; may be null
     */
    public void alertGivenUp(String name, String key, String summary, String error) {
        send(ALERT_GIVEN_UP, summary, Map.of("name", name, "key", key, "error", error == null ? "" : error));
    }

    private void send(String type, String summary, Map<String, Object> about) {
        Notification alert = new Notification(type, SOURCE, sequence.incrementAndGet(), clock.millis(), summary);
        alert.setUserData(about);
        sendNotification(alert);
    }
}
