package io.twinbell.ops.jmx;

import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import javax.management.AttributeChangeNotification;
import javax.management.MBeanNotificationInfo;
import javax.management.Notification;
import javax.management.NotificationBroadcasterSupport;
import javax.management.ObjectName;

/** Sends a JMX notification for every role change and alert. */
final class LeadershipNotifications extends NotificationBroadcasterSupport {
    static final String ALERT = "io.twinbell.alert";
    static final String ALERT_GIVEN_UP = "io.twinbell.alert.givenUp";

    private final ObjectName source;
    private final InstantSource clock;
    private final AtomicLong sequence = new AtomicLong();

    LeadershipNotifications(ObjectName source, InstantSource clock) {
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
        this.source = source;
        this.clock = clock;
    }

    void roleChanged(String from, String to, String reason, long epoch) {
        AttributeChangeNotification change = new AttributeChangeNotification(
                source,
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

    void alert(String type, String summary, Map<String, Object> about) {
        Notification alert = new Notification(type, source, sequence.incrementAndGet(), clock.millis(), summary);
        alert.setUserData(about);
        sendNotification(alert);
    }
}
