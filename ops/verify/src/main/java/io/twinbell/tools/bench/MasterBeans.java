package io.twinbell.tools.bench;

import io.twinbell.tools.client.NodeStatus;
import java.io.IOException;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/** Reads a node's MBeans over JMX. */
final class MasterBeans implements AutoCloseable {
    private static final String RUNTIME = "java.lang:type=Runtime";

    private final JMXConnector connector;
    private final MBeanServerConnection beans;

    /** @throws IOException if the node does not answer, or runs on another machine, which JMX does not serve */
    MasterBeans(NodeStatus master) throws IOException {
        connector = JMXConnectorFactory.connect(
                new JMXServiceURL("service:jmx:rmi:///jndi/rmi://" + master.jmx() + "/jmxrmi"));
        beans = connector.getMBeanServerConnection();
        // The address is a loopback address, where the other node of the pair may listen on this machine.
        Object found = attribute("io.twinbell:type=Leadership", "NodeId");
        if (!master.id().equals(found)) {
            close();
            throw new IOException("JMX at " + master.jmx() + " is of node " + found + ", not of " + master.id());
        }
    }

    /** Processor time of the whole process so far. */
    long cpuNanos() throws IOException {
        return ((Number) attribute("java.lang:type=OperatingSystem", "ProcessCpuTime")).longValue();
    }

    /** The duration of the latest rebuild of the whole heap. */
    long lastRebuildMillis() throws IOException {
        return ((Number) attribute("io.twinbell:type=TaskHeap", "LastRebuildMillis")).longValue();
    }

    /** The number of entries in the task heap. */
    long heapSize() throws IOException {
        return ((Number) attribute("io.twinbell:type=TaskHeap", "Size")).longValue();
    }

    /** The used part of the JVM's own heap. */
    long usedBytes() throws IOException {
        CompositeData usage = (CompositeData) attribute("java.lang:type=Memory", "HeapMemoryUsage");
        return ((Number) usage.get("used")).longValue();
    }

    /** Name, version and arguments of the JVM. */
    String jvm() throws IOException {
        String[] arguments = (String[]) attribute(RUNTIME, "InputArguments");
        return attribute(RUNTIME, "VmName") + " " + attribute(RUNTIME, "VmVersion") + " " + String.join(" ", arguments);
    }

    private Object attribute(String bean, String name) throws IOException {
        try {
            return beans.getAttribute(new ObjectName(bean), name);
        } catch (JMException e) {
            throw new IOException("no attribute " + name + " of " + bean + ": " + e.getMessage(), e);
        }
    }

    @Override
    public void close() throws IOException {
        connector.close();
    }
}
