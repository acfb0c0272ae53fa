package io.twinbell.test;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.List;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DevelopmentServersTest {
    @TempDir
    private Path directory;

    @Test
    void both_servers_keep_their_data_from_start_to_start_and_listen_at_the_loopback_address_only() throws Exception {
        DevelopmentServers first = DevelopmentServers.start(directory);
        assertSame(
                first,
                DevelopmentServers.start(directory.resolve("..").resolve(directory.getFileName())),
                "a second call in the same program");
        try (Socket socket = new Socket();
                Connection connection = connection(first);
                Statement statement = connection.createStatement();
                CuratorFramework client = client(first)) {
            statement.execute("create table kept (number bigint)");
            statement.execute("insert into kept values (17)");
            client.create().forPath("/kept", new byte[] {17});
            int port = Integer.parseInt(first.zooKeeper().split(":")[1]);
            assertThrows(IOException.class, () -> socket.connect(new InetSocketAddress("127.0.0.2", port), 10_000));
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

    /** A program whose hook has the name of Spring's, and needs the database. */
    static final class HookedProgram {
        private HookedProgram() {}

        public static void main(String[] args) {
            DevelopmentServers servers = DevelopmentServers.start(Path.of(args[0]));
            Runtime.getRuntime()
                    .addShutdownHook(new Thread(
                            () -> {
                                for (int i = 0; i < 20; i++) {
                                    try (Connection connection = connection(servers);
                                            Statement statement = connection.createStatement();
                                            CuratorFramework client = client(servers)) {
                                        statement.execute("select pg_sleep(0.1)");
                                        client.getChildren().forPath("/");
                                    } catch (Exception e) {
                                        System.out.println("failed: " + e);
                                    }
                                }
                                System.out.println("the application has closed");
                            },
                            "SpringApplicationShutdownHook"));
            System.exit(0);
        }
    }

    @Test
    @Tag("thorough")
    void the_servers_run_until_an_application_of_spring_has_closed() throws Exception {
        Process program = program(HookedProgram.class);
        List<String> lines = new BufferedReader(new InputStreamReader(program.getInputStream(), UTF_8))
                .lines()
                .toList();
        assertEquals(0, program.waitFor());
        String said = String.join("\n", lines);
        assertTrue(lines.contains("the application has closed"), said);
        assertTrue(lines.stream().noneMatch(line -> line.startsWith("failed: ")), said);
        DevelopmentServers.start(directory).stop();
    }

    @Test
    @Tag("thorough")
    void a_second_program_uses_the_servers_of_the_first_and_starts_them_anew_if_that_was_killed() throws Exception {
        Process first = program(DevelopmentServers.class);
        BufferedReader output = new BufferedReader(new InputStreamReader(first.getInputStream(), UTF_8));
        String addresses = output.readLine();
        while (addresses != null && !addresses.startsWith("PostgreSQL: ")) {
            addresses = output.readLine();
        }
        DevelopmentServers found = DevelopmentServers.start(directory);
        assertEquals("PostgreSQL: " + found.jdbcUrl() + ", user postgres; ZooKeeper: " + found.zooKeeper(), addresses);
        found.stop();
        try (Connection connection = connection(found);
                Statement statement = connection.createStatement()) {
            statement.execute("create table kept (number bigint)");
        }
        first.destroyForcibly().waitFor();
        DevelopmentServers anew = DevelopmentServers.start(directory);
        try (Connection connection = connection(anew);
                Statement statement = connection.createStatement()) {
            statement.execute("drop table kept");
            assertNotEquals(found.zooKeeper(), anew.zooKeeper());
        } finally {
            anew.stop();
        }
    }

    private Process program(Class<?> main) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        main.getName(),
                        directory.toString())
                .redirectErrorStream(true)
                .start();
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
