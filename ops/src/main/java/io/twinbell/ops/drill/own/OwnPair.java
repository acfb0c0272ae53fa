package io.twinbell.ops.drill.own;

import io.twinbell.ops.drill.stage.DrillException;
import io.twinbell.ops.drill.stage.DrilledPair;
import io.twinbell.ops.drill.stage.LocalServers;
import io.twinbell.ops.drill.stage.TidyUp;
import io.twinbell.ops.drill.stage.Timeline;
import io.twinbell.ops.drill.stage.Watch;
import io.twinbell.ops.pair.DatabaseOperator;
import io.twinbell.ops.pair.ElectionOperator;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** A pair that a drill starts for itself, with servers of its own, so that anything may be done to it. It ends with the drill. */
public final class OwnPair implements DrilledPair, AutoCloseable {
    /** The host of PostgreSQL. */
    public static final String DATABASE = Hosts.DATABASE;

    /** In the run directory, the home of the second PostgreSQL, where there is one. */
    static final String SECOND_DATABASE = "database2";

    private final Path run;
    private final Layout layout;
    private final Hosts hosts;
    private final Ports ports;
    private final TidyUp parts;
    private final Map<String, OwnNode> nodes = new LinkedHashMap<>();
    private final Map<String, TcpProxy> proxies = new LinkedHashMap<>();
    private final Map<String, FakeClock> clocks = new LinkedHashMap<>();
    private Ensemble ensemble;
    private Database database;
    private Replication replication;
    private SmallDisk disk;

    private OwnPair(Path run, Layout layout, Hosts hosts, Ports ports, TidyUp parts) {
        this.run = run;
        this.layout = layout;
        this.hosts = hosts;
        this.ports = ports;
        this.parts = parts;
    }

    /**
     * Starts one; what an earlier one stored is forgotten.
     *
     * @param run what it writes goes there
     * @param firstPort of a block of {@link Ports#COUNT}
     */
    public static OwnPair start(Path run, Layout layout, int firstPort, Watch watch, Timeline timeline)
            throws IOException, DrillException {
        TidyUp parts = new TidyUp(timeline::complain);
        Claim claim = Claim.of(run);
        parts.afterwards("let go of " + run, claim::close);
        try {
            Hosts hosts = layout == Layout.NAMESPACES
                    ? Namespaces.make(Stream.concat(
                                    Stream.concat(NODES.stream(), Stream.of(Hosts.DATABASE)), Hosts.ENSEMBLE.stream())
                            .toList())
                    : new OneHost();
            parts.afterwards("take the hosts down", hosts::close);
            OwnPair pair = new OwnPair(run.toAbsolutePath().normalize(), layout, hosts, new Ports(firstPort), parts);
            timeline.tell("starting a pair for the drill itself in " + run + " (" + layout + ")");
            pair.start(watch);
            timeline.tell("it runs");
            return pair;
        } catch (IOException | DrillException | RuntimeException e) {
            parts.close();
            throw e;
        }
    }

    private void start(Watch watch) throws IOException, DrillException {
        Forgetting.of(run);
        Files.createDirectories(run.resolve("logs"));
        disk = disk(run);
        ensemble = new Ensemble(run, hosts, ports);
        parts.afterwards("stop ZooKeeper", ensemble::close);
        ensemble.start();
        database = new Database(run, hosts, ports.database(), watch);
        parts.afterwards("stop PostgreSQL", database::close);
        database.start();
        if (layout == Layout.REPLICA) {
            replicate(watch);
        }
        for (String node : NODES) {
            OwnNode started = new OwnNode(run, place(node), servers(node), watch);
            nodes.put(node, started);
            parts.afterwards("stop node " + node, started::close);
            started.start();
        }
    }

    private void replicate(Watch watch) throws IOException, DrillException {
        Path home = Files.createDirectories(run.resolve(SECOND_DATABASE));
        disk(home);
        Database second = new Database(home, hosts, ports.secondDatabase(), watch);
        parts.afterwards("stop the second PostgreSQL", second::close);
        replication = new Replication(database, second, watch);
        replication.begin();
    }

    /** A file system for the data of a PostgreSQL; null where none can be mounted for this drill alone. */
    private SmallDisk disk(Path home) throws IOException {
        if (!InOwnNetwork.isInside()) {
            return null;
        }
        SmallDisk mounted =
                SmallDisk.mount(Files.createDirectories(home.resolve("postgres").resolve("data")));
        parts.afterwards("unmount the small disk", mounted::close);
        return mounted;
    }

    private OwnNode.Place place(String node) throws IOException {
        List<String> before =
                Stream.concat(hosts.on(node).stream(), clock(node).stream()).toList();
        return new OwnNode.Place(node, hosts.address(node), ports.http(node), ports.jmx(node), before);
    }

    private List<String> clock(String node) throws IOException {
        if (layout != Layout.CLOCKS) {
            return List.of();
        }
        FakeClock clock = new FakeClock(run.resolve("clock-" + node));
        clocks.put(node, clock);
        return clock.words();
    }

    private OwnNode.Servers servers(String node) throws IOException {
        if (layout == Layout.REPLICA) {
            String both = hosts.address(Hosts.DATABASE) + ":" + ports.database() + "," + hosts.address(Hosts.DATABASE)
                    + ":" + ports.secondDatabase();
            return new OwnNode.Servers(
                    "jdbc:postgresql://" + both + "/twinbell?targetServerType=primary", ensemble.connect());
        }
        if (layout != Layout.PROXIES) {
            return new OwnNode.Servers(url(hosts.address(Hosts.DATABASE), ports.database()), ensemble.connect());
        }
        String url = url(OneHost.ADDRESS, proxy(node, Hosts.DATABASE, ports.database()));
        StringBuilder connect = new StringBuilder();
        for (String member : Hosts.ENSEMBLE) {
            connect.append(connect.isEmpty() ? "" : ",")
                    .append(OneHost.ADDRESS)
                    .append(':')
                    .append(proxy(node, member, ports.clients(member)));
        }
        return new OwnNode.Servers(url, connect.toString());
    }

    private static String url(String host, int port) {
        return "jdbc:postgresql://" + host + ":" + port + "/twinbell";
    }

    private int proxy(String node, String server, int port) throws IOException {
        TcpProxy proxy = TcpProxy.listen(
                OneHost.ADDRESS, ports.proxy(node, server), new InetSocketAddress(hosts.address(server), port));
        proxies.put(node + " " + server, proxy);
        parts.afterwards("end the proxy of node " + node, proxy::close);
        return proxy.port();
    }

    public Layout layout() {
        return layout;
    }

    /** The network between the parts. */
    public Namespaces network() throws DrillException.Refused {
        if (hosts instanceof Namespaces namespaces) {
            return namespaces;
        }
        throw new DrillException.Refused("the pair's parts are not in namespaces of their own");
    }

    public Ensemble ensemble() {
        return ensemble;
    }

    /** The PostgreSQL; of two, the primary. */
    public Database server() {
        return replication == null ? database : replication.primary();
    }

    /** The primary and its replica. */
    public Replication replication() throws DrillException.Refused {
        if (replication == null) {
            throw new DrillException.Refused("the pair's PostgreSQL has no replica");
        }
        return replication;
    }

    /** Backs PostgreSQL up while it runs. */
    public Backup backUp() throws IOException {
        return Backup.of(server(), Files.createTempDirectory(run, "backup-").resolve("data"));
    }

    /** Starts a node that does not run, and does not wait for it. */
    public void launch(String node) throws IOException {
        nodes.get(node).launch();
    }

    /** What the command {@code doctor} prints for a node's configuration. */
    public String doctor(String node, String... arguments) throws IOException {
        return nodes.get(node).doctor(arguments);
    }

    /** A copy of PostgreSQL with an ensemble and two nodes of its own, beside this pair; it runs when this returns. */
    public ClonedPair cloneElsewhere(Watch watch) throws IOException, DrillException {
        Path home = Files.createTempDirectory(run, "clone-");
        return ClonedPair.start(home, backUp(), hosts, new Ports(ports.first() + Ports.OF_A_PAIR), watch);
    }

    /** What PostgreSQL writes to, if it is a file system of its own. */
    public Optional<SmallDisk> disk() {
        return Optional.ofNullable(disk);
    }

    /** The ways from a node to PostgreSQL. */
    public TcpProxy databaseProxy(String node) {
        return proxies.get(node + " " + Hosts.DATABASE);
    }

    /** The ways from a node to each member of the ensemble. */
    public List<TcpProxy> zooKeeperProxies(String node) {
        return Hosts.ENSEMBLE.stream()
                .map(member -> proxies.get(node + " " + member))
                .toList();
    }

    /** The clock that a node lives by. */
    public FakeClock clockOf(String node) {
        return clocks.get(node);
    }

    @Override
    public Path run() {
        return run;
    }

    @Override
    public URI address(String node) {
        return nodes.get(node).address();
    }

    @Override
    public String receiverHost() {
        return hosts.drill();
    }

    @Override
    public LocalServers servers() {
        return new LocalServers(server().home(), ensemble.processes());
    }

    @Override
    public Optional<ProcessHandle> process(String node) {
        return nodes.get(node).process();
    }

    @Override
    public void start(String node) throws IOException, DrillException {
        nodes.get(node).start();
    }

    @Override
    public DatabaseOperator database() throws IOException {
        return server().operator();
    }

    @Override
    public ElectionOperator election() {
        return new ElectionOperator(ensemble.connect());
    }

    @Override
    public void close() {
        parts.close();
    }
}
