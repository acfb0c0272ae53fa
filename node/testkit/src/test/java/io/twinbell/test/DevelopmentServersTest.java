package io.twinbell.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DevelopmentServersTest {
    @TempDir
    private Path directory;

    @Test
    void both_servers_keep_their_data_from_start_to_start() throws Exception {
        DevelopmentServers first = DevelopmentServers.start(directory);
        try (Connection connection = connection(first);
                Statement statement = connection.createStatement();
                CuratorFramework client = client(first)) {
            statement.execute("create table kept (number bigint)");
            statement.execute("insert into kept values (17)");
            client.create().forPath("/kept", new byte[] {17});
        } finally {
            first.stop();
        }
        DevelopmentServers second = DevelopmentServers.start(directory);
        try (Connection connection = connection(second);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select number from kept");
                CuratorFramework client = client(second)) {
            row.next();
            assertEquals(17, row.getLong(1));
            assertEquals(17, client.getData().forPath("/kept")[0]);
        } finally {
            second.stop();
        }
    }

    @Test
    void zoo_keeper_listens_at_the_loopback_address_only() throws Exception {
        DevelopmentServers servers = DevelopmentServers.start(directory);
        try (Socket socket = new Socket()) {
            int port = Integer.parseInt(servers.zooKeeper().split(":")[1]);
            assertThrows(IOException.class, () -> socket.connect(new InetSocketAddress("127.0.0.2", port), 10_000));
        } finally {
            servers.stop();
        }
    }

    private static Connection connection(DevelopmentServers servers) throws Exception {
        return DriverManager.getConnection(servers.jdbcUrl(), "postgres", "");
    }

    private static CuratorFramework client(DevelopmentServers servers) {
        CuratorFramework client = CuratorFrameworkFactory.newClient(servers.zooKeeper(), new RetryOneTime(1000));
        client.start();
        return client;
    }
}
