package io.twinbell.node.jmx;

import com.codahale.metrics.MetricRegistry;
import com.codahale.metrics.jmx.JmxReporter;
import java.util.ArrayDeque;
import java.util.Deque;
import javax.management.DescriptorRead;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanInfo;
import javax.management.MBeanOperationInfo;
import javax.management.MBeanParameterInfo;
import javax.management.MBeanServer;
import javax.management.MalformedObjectNameException;
import javax.management.NotificationBroadcasterSupport;
import javax.management.NotificationEmitter;
import javax.management.ObjectName;
import javax.management.StandardEmitterMBean;

/**
 * Registers one node's MBeans: {@code io.twinbell:type=Leadership|TaskHeap|ActionQueue|WorkerPool}, and every metric of
 * the registry under {@code io.twinbell.metrics}. Two nodes in one JVM need an {@link MBeanServer} each.
 */
public final class ManagementBeans implements AutoCloseable {
    static final String DOMAIN = "io.twinbell";
    static final String METRICS_DOMAIN = "io.twinbell.metrics";

    /** The fields of a descriptor that hold what {@link NodeViews.Described} says. */
    static final String DESCRIPTION = "description";

    static final String PARAMETER_NAME = "parameterName";

    private final MBeanServer server;
    private final Deque<ObjectName> registered = new ArrayDeque<>();
    private final JmxReporter metrics;

    /**
     * Registers all MBeans, or none.
     *
     * @param notifications sends the notifications of the Leadership MBean
     * @throws IllegalStateException if the server already shows a node
     */
    public ManagementBeans(
            MBeanServer server, NodeViews views, LeadershipNotifications notifications, MetricRegistry registry) {
        this.server = server;
        this.metrics = JmxReporter.forRegistry(registry)
                .registerWith(server)
                .inDomain(METRICS_DOMAIN)
                .build();
        try {
            show(
                    LeadershipNotifications.SOURCE,
                    new DescribedBean(views.leadership(), NodeViews.LeadershipView.class, notifications));
            show(name("TaskHeap"), silent(views.taskHeap(), NodeViews.TaskHeapView.class));
            show(name("ActionQueue"), silent(views.actionQueue(), NodeViews.ActionQueueView.class));
            show(name("WorkerPool"), silent(views.workerPool(), NodeViews.WorkerPoolView.class));
        } catch (JMException e) {
            close();
            throw new IllegalStateException(
                    "Cannot register " + DOMAIN + " MBeans; each node in a JVM needs its own MBean server", e);
        }
        metrics.start();
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

    static ObjectName name(String type) {
        try {
            return new ObjectName(DOMAIN, "type", type);
        } catch (MalformedObjectNameException e) {
            throw new IllegalArgumentException(type, e);
        }
    }

    /** MBean whose descriptions come from {@link NodeViews.Described} annotations on the view's interface. */
    private static final class DescribedBean extends StandardEmitterMBean {
        <V> DescribedBean(V view, Class<V> contract, NotificationEmitter emitter) {
            super(view, contract, emitter);
        }

        @Override
        protected String getDescription(MBeanInfo info) {
            return field(info, DESCRIPTION);
        }

        @Override
        protected String getDescription(MBeanAttributeInfo info) {
            return field(info, DESCRIPTION);
        }

        @Override
        protected String getDescription(MBeanOperationInfo info) {
            return field(info, DESCRIPTION);
        }

        @Override
        protected String getDescription(MBeanOperationInfo operation, MBeanParameterInfo parameter, int sequence) {
            return field(parameter, DESCRIPTION);
        }

        @Override
        protected String getParameterName(MBeanOperationInfo operation, MBeanParameterInfo parameter, int sequence) {
            return field(parameter, PARAMETER_NAME);
        }

        /**
         * Reports ACTION for an operation. The platform's default is UNKNOWN, and a client warns only about operations
         * that act.
         */
        @Override
        protected int getImpact(MBeanOperationInfo info) {
            return MBeanOperationInfo.ACTION;
        }

        private static String field(DescriptorRead described, String key) {
            return (String) described.getDescriptor().getFieldValue(key);
        }
    }
}
