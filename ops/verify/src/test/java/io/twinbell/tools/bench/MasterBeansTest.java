package io.twinbell.tools.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.persistence.testing.FreePort;
import io.twinbell.tools.client.NodeStatus;
import java.io.IOException;
import java.rmi.registry.LocateRegistry;
import java.rmi.registry.Registry;
import java.rmi.server.UnicastRemoteObject;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import javax.management.StandardMBean;
import javax.management.remote.JMXConnectorServer;
import javax.management.remote.JMXConnectorServerFactory;
import javax.management.remote.JMXServiceURL;
import org.junit.jupiter.api.Test;

class MasterBeansTest {
    /** The part of a node's MBeans that says whose they are. */
    public interface LeadershipView {
        String getNodeId();
    }

    /** The part of a node's MBeans that is read here. */
    public interface TaskHeapView {
        long getSize();
    }

    @Test
    void figures_of_another_node_at_the_masters_address_are_not_taken_for_the_masters() throws Exception {
        MBeanServer node = MBeanServerFactory.newMBeanServer();
        show(node, "Leadership", () -> "b", LeadershipView.class);
        show(node, "TaskHeap", () -> 7, TaskHeapView.class);
        int port = FreePort.take();
        Registry registry = LocateRegistry.createRegistry(port);
        JMXConnectorServer server = JMXConnectorServerFactory.newJMXConnectorServer(
                new JMXServiceURL("service:jmx:rmi:///jndi/rmi://127.0.0.1:" + port + "/jmxrmi"), null, node);
        server.start();
        try (MasterBeans beans = new MasterBeans(at("b", port))) {
            assertEquals(7, beans.heapSize());
            IOException refusal = assertThrows(IOException.class, () -> new MasterBeans(at("a", port)));
            assertTrue(refusal.getMessage().endsWith("is of node b, not of a"), refusal.getMessage());
        } finally {
            server.stop();
            UnicastRemoteObject.unexportObject(registry, true);
        }
    }

    private static <V> void show(MBeanServer node, String type, V view, Class<V> contract) throws Exception {
        node.registerMBean(new StandardMBean(view, contract), new ObjectName("io.twinbell:type=" + type));
    }

    private static NodeStatus at(String id, int port) {
        return new NodeStatus(id, "MASTER", 1, "", "127.0.0.1:" + port);
    }
}
