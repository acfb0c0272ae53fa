package io.twinbell.node.pair;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.ha.latch.EnsembleSurvey;
import io.twinbell.ha.latch.ZooKeeperAccess;
import io.twinbell.ha.role.Role;
import io.twinbell.node.config.ConfigReader;
import io.twinbell.node.tls.TlsFiles;
import io.twinbell.node.tls.TlsInit;
import io.twinbell.node.tls.TlsMaterial;
import io.twinbell.persistence.testing.FreePort;
import io.twinbell.persistence.testing.RandomCases;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestTasks;
import io.twinbell.persistence.testing.TestZooKeeper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.management.MBeanServerFactory;
import javax.net.SocketFactory;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;

/** A pair whose nodes of ZooKeeper are closed to other clients, on real servers. */
class SecuredZooKeeperTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final int ROUNDS = RandomCases.count(4, 20);
    private static final String FOLDER = "/twinbell/twinbell";
    private static final List<ACL> EVERYBODY =
            new ArrayList<>(List.of(new ACL(ZooDefs.Perms.ALL, new Id("world", "anyone"))));
    /** The user other with the password other: its name, and the SHA-1 of both in Base64. */
    private static final String OTHER = "other:OtPIDM0Gtvxqci9v7kbEaKyrze0=";

    private static final List<String> CREDENTIALS = List.of("zookeeper.user=pair", "zookeeper.password=secret");

    private final PGSimpleDataSource database = TestPostgres.freshDatabase();
    private final TestTasks tables = new TestTasks(database);
    private final List<AutoCloseable> open = new ArrayList<>();

    @TempDir
    private Path directory;

    @AfterEach
    void stop() throws Exception {
        for (int i = open.size() - 1; i >= 0; i--) {
            open.get(i).close();
        }
    }

    private SchedulerNode node(String id, String connect, List<String> access) {
        List<String> sets = new ArrayList<>(List.of(
                "node.id=" + id,
                "http.port=0",
                "jmx.port=0",
                "database.url=" + database.getUrl(),
                "database.user=" + database.getUser(),
                "database.password=" + (database.getPassword() == null ? "" : database.getPassword()),
                "zookeeper.connect=" + connect));
        sets.addAll(access);
        SchedulerNode node = new SchedulerNode(
                ConfigReader.read(null, Map.of(), sets), Map.of(), MBeanServerFactory.newMBeanServer());
        open.add(node);
        node.start();
        return node;
    }

    /** Without credentials unless {@code user} has some. */
    private ZooKeeper client(String connect, String user) throws Exception {
        CountDownLatch connected = new CountDownLatch(1);
        ZooKeeper client = new ZooKeeper(connect, 10_000, event -> {
            if (event.getState() == Watcher.Event.KeeperState.SyncConnected) {
                connected.countDown();
            }
        });
        open.add(client);
        assertTrue(connected.await(30, TimeUnit.SECONDS));
        if (user != null) {
            client.addAuthInfo("digest", user.getBytes(StandardCharsets.UTF_8));
        }
        return client;
    }

    private void awaitPair(SchedulerNode first, SchedulerNode second) {
        await().atMost(LONG).until(() -> first.role() == Role.MASTER);
        await().atMost(LONG).until(() -> second.role() == Role.STANDBY);
    }

    @Test
    void a_stranger_can_neither_read_nor_change_what_a_pair_with_credentials_creates() throws Exception {
        String connect = TestZooKeeper.freshFolder();
        SchedulerNode a = node("a", connect, CREDENTIALS);
        await().atMost(LONG).until(() -> a.role() == Role.MASTER);
        SchedulerNode b = node("b", connect, CREDENTIALS);
        awaitPair(a, b);
        String latch = FOLDER + "/latch/"
                + client(connect, "pair:secret")
                        .getChildren(FOLDER + "/latch", false)
                        .get(0);
        for (String user : new String[] {null, "pair:wrong"}) {
            ZooKeeper stranger = client(connect, user);
            for (String folder : List.of(FOLDER, FOLDER + "/latch", FOLDER + "/nodes")) {
                assertThrows(KeeperException.NoAuthException.class, () -> stranger.getChildren(folder, false), folder);
                assertThrows(
                        KeeperException.NoAuthException.class,
                        () -> stranger.create(folder + "/0", new byte[0], EVERYBODY, CreateMode.PERSISTENT),
                        folder);
            }
            assertThrows(KeeperException.NoAuthException.class, () -> stranger.getData(latch, false, null));
            assertThrows(KeeperException.NoAuthException.class, () -> stranger.delete(latch, -1));
            assertThrows(KeeperException.NoAuthException.class, () -> stranger.setACL(latch, EVERYBODY, -1));
            assertThrows(KeeperException.NoAuthException.class, () -> stranger.delete(FOLDER + "/cluster-id", -1));
        }
        open.remove(a);
        a.close();
        await().atMost(LONG).until(() -> b.role() == Role.MASTER);
    }

    @Test
    void a_client_with_the_pairs_credentials_moves_the_role_but_neither_loses_nor_doubles_a_slot() throws Exception {
        String connect = TestZooKeeper.freshFolder();
        SchedulerNode a = node("a", connect, CREDENTIALS);
        await().atMost(LONG).until(() -> a.role() == Role.MASTER);
        SchedulerNode b = node("b", connect, CREDENTIALS);
        awaitPair(a, b);
        tables.execute("select twinbell.add_task('z', 'grid', '{\"every\": \"PT0.2S\"}',"
                + " '{\"type\": \"java\", \"key\": \"twinbell.noop\"}', '{\"overlap\": \"ALLOW\"}')");
        await().atMost(LONG).until(() -> fired() > 5);
        ZooKeeper attacker = client(connect, "pair:secret");
        for (int i = 0; i < ROUNDS; i++) {
            deleteAll(attacker, i % 2 == 0 ? FOLDER + "/latch" : FOLDER + "/nodes");
            for (int j = 0; j < 100; j++) {
                create(attacker, "/latch/latch-" + String.format(Locale.ROOT, "%010d", 100 * i + j));
                create(attacker, "/nodes/n" + (100 * i + j));
            }
            long before = fired();
            await().atMost(LONG).until(() -> fired() > before);
        }
        deleteAll(attacker, FOLDER);
        await().atMost(LONG).until(() -> isSettled(a, b));
        lockedOut(attacker, a, b);
        SchedulerNode master = a.role() == Role.MASTER ? a : b;
        SchedulerNode standby = master == a ? b : a;
        open.remove(master);
        master.close();
        await().atMost(LONG).until(() -> standby.role() == Role.MASTER);
        long last = fired();
        await().atMost(LONG).until(() -> fired() > last);
        assertEquals(1, tables.number("select max(attempt) from twinbell.execution where name = 'grid'"));
        assertEquals(
                List.of(),
                tables.query("select gap from (select fire_time - lag(fire_time) over (order by fire_time) as gap"
                        + " from twinbell.execution where name = 'grid') g where gap <> interval '200 ms'"),
                "no slot is missing");
    }

    /** The folder belongs to another user for a while: the master goes on, and the pair is whole again afterwards. */
    private void lockedOut(ZooKeeper attacker, SchedulerNode a, SchedulerNode b) throws Exception {
        await().atMost(LONG)
                .until(() -> attacker.exists(FOLDER + "/latch", false) != null
                        && attacker.exists(FOLDER + "/nodes", false) != null);
        List<ACL> own = attacker.getACL(FOLDER + "/latch", new Stat());
        attacker.addAuthInfo("digest", "other:other".getBytes(StandardCharsets.UTF_8));
        List<ACL> others = new ArrayList<>(List.of(new ACL(ZooDefs.Perms.ALL, new Id("digest", OTHER))));
        for (String folder : List.of("/latch", "/nodes")) {
            attacker.setACL(FOLDER + folder, others, -1);
        }
        long before = fired();
        await().atMost(LONG).until(() -> fired() > before + 25);
        for (String folder : List.of("/latch", "/nodes")) {
            attacker.setACL(FOLDER + folder, own, -1);
        }
        await().atMost(LONG).until(() -> isPair(a, b));
    }

    /**
     * Whether the pair keeps roles and epoch for ten slots. A promotion that is under way when the folder is taken away
     * could end only when it is back: the old master has handed over, and the new one cannot hold the latch.
     */
    private boolean isSettled(SchedulerNode a, SchedulerNode b) {
        long epoch = tables.number("select epoch from twinbell.epoch");
        long before = fired();
        await().atMost(LONG).until(() -> fired() >= before + 10);
        return isPair(a, b) && epoch == tables.number("select epoch from twinbell.epoch");
    }

    private static boolean isPair(SchedulerNode a, SchedulerNode b) {
        // Both may have the same role for a moment, which Set.of refuses.
        return Set.copyOf(List.of(a.role(), b.role())).equals(Set.of(Role.MASTER, Role.STANDBY));
    }

    private long fired() {
        return tables.number("select count(*) from twinbell.execution where name = 'grid' and state = 'SUCCEEDED'");
    }

    private static void create(ZooKeeper attacker, String path) throws Exception {
        try {
            attacker.create(FOLDER + path, new byte[] {'a'}, EVERYBODY, CreateMode.EPHEMERAL);
        } catch (KeeperException.NodeExistsException | KeeperException.NoNodeException e) {
            // A node of the pair has this name, or the pair has not made the folder again.
        }
    }

    /** The nodes write at the same time, so this may find new ones. */
    private static void deleteAll(ZooKeeper attacker, String path) throws Exception {
        try {
            for (String child : attacker.getChildren(path, false)) {
                deleteAll(attacker, path + "/" + child);
            }
            attacker.delete(path, -1);
        } catch (KeeperException.NoNodeException | KeeperException.NotEmptyException e) {
            // It is gone, or the pair has written to it again.
        }
    }

    @Test
    void a_folder_that_was_created_open_is_closed_while_the_pair_runs() throws Exception {
        String connect = TestZooKeeper.freshFolder();
        SchedulerNode earlier = node("a", connect, List.of());
        await().atMost(LONG).until(() -> earlier.role() == Role.MASTER);
        open.remove(earlier);
        earlier.close();
        SchedulerNode a = node("a", connect, CREDENTIALS);
        await().atMost(LONG).until(() -> a.role() == Role.MASTER);
        SchedulerNode b = node("b", connect, CREDENTIALS);
        awaitPair(a, b);
        ZooKeeper stranger = client(connect, null);
        assertFalse(stranger.getChildren(FOLDER + "/latch", false).isEmpty());
        ZooKeeperAccess access = new ZooKeeperAccess("pair", "secret", List.of(), ZooKeeperAccess.Tls.OFF);
        try (EnsembleSurvey survey =
                new EnsembleSurvey(connect, "twinbell", Duration.ofSeconds(10), access, SocketFactory.getDefault())) {
            assertTrue(survey.connect());
            assertTrue(survey.isOpenToAll().orElseThrow());
            assertTrue(survey.applyAcl() >= 6);
            assertFalse(survey.isOpenToAll().orElseThrow());
        }
        assertThrows(KeeperException.NoAuthException.class, () -> stranger.getChildren(FOLDER + "/latch", false));
        open.remove(a);
        a.close();
        await().atMost(LONG).until(() -> b.role() == Role.MASTER);
    }

    @Test
    void with_tls_and_client_certificates_a_stranger_gets_no_session() throws Exception {
        TlsInit authority = new TlsInit(directory, 30);
        authority.issue(
                List.of(
                        new TlsInit.Request("zk", List.of("127.0.0.1", "localhost"), TlsInit.Use.NODE),
                        new TlsInit.Request("a", List.of("127.0.0.1"), TlsInit.Use.NODE),
                        new TlsInit.Request("b", List.of("127.0.0.1"), TlsInit.Use.NODE)),
                false);
        String connect = startTlsServer(authority);
        SchedulerNode a = node("a", connect, tls(authority, "a"));
        await().atMost(LONG).until(() -> a.role() == Role.MASTER);
        SchedulerNode b = node("b", connect, tls(authority, "b"));
        awaitPair(a, b);
        // Each waits for five seconds.
        CompletableFuture<Boolean> plain =
                CompletableFuture.supplyAsync(() -> getsSession(connect, ZooKeeperAccess.Tls.OFF));
        assertFalse(getsSession(connect, new ZooKeeperAccess.Tls(true, null, null, authority.certificate("ca"))));
        assertFalse(plain.join());
        ZooKeeperAccess ours = ConfigReader.read(null, Map.of(), sets(tls(authority, "a")))
                .zooKeeper()
                .access();
        SocketFactory sockets = TlsMaterial.read(
                        TlsFiles.forClient(authority.certificate("ca"), authority.certificate("a"), authority.key("a")))
                .client()
                .getSocketFactory();
        try (EnsembleSurvey survey = new EnsembleSurvey(connect, "twinbell", Duration.ofSeconds(10), ours, sockets)) {
            assertEquals("standalone", survey.servers().get(0).mode());
            assertTrue(survey.connect());
            assertFalse(survey.isOpenToAll().orElseThrow());
        }
        open.remove(a);
        a.close();
        await().atMost(LONG).until(() -> b.role() == Role.MASTER);
    }

    private static boolean getsSession(String connect, ZooKeeperAccess.Tls tls) {
        ZooKeeperAccess stranger = new ZooKeeperAccess(null, null, List.of(), tls);
        try (EnsembleSurvey survey =
                new EnsembleSurvey(connect, "twinbell", Duration.ofSeconds(10), stranger, SocketFactory.getDefault())) {
            return survey.connect();
        }
    }

    private static List<String> sets(List<String> access) {
        List<String> sets =
                new ArrayList<>(List.of("node.id=x", "database.url=jdbc:postgresql://x/y", "zookeeper.connect=z:1"));
        sets.addAll(access);
        return sets;
    }

    private List<String> tls(TlsInit authority, String name) throws IOException {
        return List.of(
                "zookeeper.tls.enabled=true",
                "zookeeper.tls.certificate=" + both(authority, name),
                "zookeeper.tls.ca=" + authority.certificate("ca"),
                "zookeeper.acl=x509:CN=a; x509:CN=b");
    }

    /** ZooKeeper reads key and certificate from one file. */
    private Path both(TlsInit authority, String name) throws IOException {
        return Files.writeString(
                directory.resolve(name + "-both.pem"),
                Files.readString(authority.key(name)) + Files.readString(authority.certificate(name)));
    }

    private String startTlsServer(TlsInit authority) throws Exception {
        int port = FreePort.take();
        Path settings = Files.write(
                directory.resolve("zoo.cfg"),
                List.of(
                        "dataDir=" + directory.resolve("data"),
                        "tickTime=500",
                        "secureClientPort=" + port,
                        "secureClientPortAddress=127.0.0.1",
                        "serverCnxnFactory=org.apache.zookeeper.server.NettyServerCnxnFactory",
                        "ssl.keyStore.location=" + both(authority, "zk"),
                        "ssl.trustStore.location=" + authority.certificate("ca"),
                        "ssl.clientAuth=need",
                        "authProvider.x509=org.apache.zookeeper.server.auth.X509AuthenticationProvider",
                        "4lw.commands.whitelist=srvr",
                        "admin.enableServer=false"));
        String classes = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        Process server = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx128m",
                        "-cp",
                        classes,
                        "org.apache.zookeeper.server.ZooKeeperServerMain",
                        settings.toString())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("server.log").toFile())
                .start();
        open.add(() -> server.destroyForcibly().waitFor());
        return "127.0.0.1:" + port;
    }
}
