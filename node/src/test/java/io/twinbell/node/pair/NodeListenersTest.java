package io.twinbell.node.pair;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.twinbell.node.config.ConfigReader;
import io.twinbell.node.config.NodeConfig;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NodeListenersTest {
    @TempDir
    private Path folder;

    @Test
    void an_ipv6_host_stands_in_brackets() throws Exception {
        Path file = Files.writeString(folder.resolve("twinbell.yaml"), """
                node: {id: a}
                database: {url: "jdbc:postgresql://db/twinbell"}
                zookeeper: {connect: "zk:2181"}
                http: {host: "::1"}
                jmx: {host: "::1", port: 9081}
                """);
        NodeConfig.Listeners config =
                ConfigReader.read(file, Map.of(), List.of()).listeners();
        NodeListeners listeners = new NodeListeners(config, ManagementFactory::getPlatformMBeanServer);
        assertEquals("[::1]", URI.create(listeners.url()).getHost());
        assertEquals("[::1]", URI.create(listeners.warmUpUrl()).getHost());
        assertEquals("[::1]:9081", config.jmx().address());
    }
}
