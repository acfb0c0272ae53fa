package io.twinbell.ops.jmx;

import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import javax.management.AttributeChangeNotification;
import javax.management.MBeanNotificationInfo;
import javax.management.NotificationBroadcasterSupport;
import javax.management.ObjectName;

/** Tells JMX listeners of every change of role. */
final class RoleNotifications extends NotificationBroadcasterSupport {
    private final ObjectName source;
    private final InstantSource clock;
    private final AtomicLong sequence = new AtomicLong();

    RoleNotifications(ObjectName source, InstantSource clock) {
        super(
                new MBeanNotificationInfo(
                        new String[] {AttributeChangeNotification.ATTRIBUTE_CHANGE},
                        AttributeChangeNotification.class.getName(),
                        "The node's role changed; the message says from which to which and why, the user data holds the epoch"));
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
}
