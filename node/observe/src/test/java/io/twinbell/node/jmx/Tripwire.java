package io.twinbell.node.jmx;

import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.Serializable;
import java.rmi.Remote;
import java.util.concurrent.atomic.AtomicInteger;
import javax.management.MBeanServer;
import javax.management.Notification;
import javax.management.NotificationFilter;
import javax.management.ObjectName;
import javax.management.QueryExp;

/** Counts how often it is deserialised. A harmful class would run its code each time. */
final class Tripwire implements Serializable, Remote, NotificationFilter, QueryExp {
    private static final long serialVersionUID = 1L;
    private static final AtomicInteger READ = new AtomicInteger();

    static int timesRead() {
        return READ.get();
    }

    private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
        in.defaultReadObject();
        READ.incrementAndGet();
    }

    @Override
    public boolean isNotificationEnabled(Notification notification) {
        return true;
    }

    @Override
    public boolean apply(ObjectName name) {
        return true;
    }

    @Override
    public void setMBeanServer(MBeanServer server) {}
}
