package io.twinbell.ops.jmx;

import com.codahale.metrics.MetricRegistry;
import com.codahale.metrics.jmx.JmxReporter;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.MalformedObjectNameException;
import javax.management.NotificationBroadcasterSupport;
import javax.management.ObjectName;

/**
 * Registers one node's MBeans: {@code io.twinbell:type=Leadership|TaskHeap|ActionQueue|WorkerPool}, and every metric of
 * the registry under {@code io.twinbell.metrics}. Two nodes in one JVM need an {@link MBeanServer} each.
 */
public final class ManagementBeans implements AutoCloseable {
    static final String DOMAIN = "io.twinbell";
    static final String METRICS_DOMAIN = "io.twinbell.metrics";

    private final MBeanServer server;
    private final Deque<ObjectName> registered = new ArrayDeque<>();
    private final LeadershipNotifications notifications;
    private final JmxReporter metrics;

    /**
     * Registers all MBeans, or none.
     *
     * @param clock gives the timestamps of notifications
     * @throws IllegalStateException if the server already shows a node
     */
    public ManagementBeans(MBeanServer server, NodeViews views, MetricRegistry registry, InstantSource clock) {
        this.server = server;
        ObjectName leadership = name("Leadership");
        this.notifications = new LeadershipNotifications(leadership, clock);
        this.metrics = JmxReporter.forRegistry(registry)
                .registerWith(server)
                .inDomain(METRICS_DOMAIN)
                .build();
        try {
            show(leadership, new DescribedBean(views.leadership(), LeadershipView.class, notifications));
            show(name("TaskHeap"), silent(views.taskHeap(), TaskHeapView.class));
            show(name("ActionQueue"), silent(views.actionQueue(), ActionQueueView.class));
            show(name("WorkerPool"), silent(views.workerPool(), WorkerPoolView.class));
        } catch (JMException e) {
            close();
            throw new IllegalStateException(
                    "Cannot register " + DOMAIN + " MBeans; each node in a JVM needs its own MBean server", e);
        }
        metrics.start();
    }

    /**
     * Notifies every listener of the Leadership MBean of a role change, on the caller's thread. Roles are spelled as in
     * the Role attribute.
     */
    public void roleChanged(String from, String to, String reason, long epoch) {
        notifications.roleChanged(from, to, reason, epoch);
    }

    /** Notifies the listeners that an alert with this number of events is about to be delivered. */
    public void alert(String name, String key, String summary, long events) {
        notifications.alert(LeadershipNotifications.ALERT, summary, Map.of("name", name, "key", key, "events", events));
    }

    /**
     * Notifies the listeners that the delivery of an alert was given up.
     *
     * @param error the reason; may be null
     */
    public void alertGivenUp(String name, String key, String summary, String error) {
        notifications.alert(
                LeadershipNotifications.ALERT_GIVEN_UP,
                summary,
                Map.of("name", name, "key", key, "error", error == null ? "" : error));
    }

    @Override
    public void close() {
        metrics.close();
        while (!registered.isEmpty()) {
            hide(registered.pop());
        }
    }

    private void show(ObjectName name, DescribedBean bean) throws JMException {
        server.registerMBean(bean, name);
        registered.push(name);
    }

    private void hide(ObjectName name) {
        try {
            server.unregisterMBean(name);
        } catch (InstanceNotFoundException gone) {
            // The MBean is already unregistered, as intended.
        } catch (JMException e) {
            throw new IllegalStateException("Cannot unregister " + name, e);
        }
    }

    private static <V> DescribedBean silent(V view, Class<V> contract) {
        return new DescribedBean(view, contract, new NotificationBroadcasterSupport());
    }

    private static ObjectName name(String type) {
        try {
            return new ObjectName(DOMAIN, "type", type);
        } catch (MalformedObjectNameException e) {
            throw new IllegalArgumentException(type, e);
        }
    }
}
