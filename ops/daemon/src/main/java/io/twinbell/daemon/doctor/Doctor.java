package io.twinbell.daemon.doctor;

import io.twinbell.daemon.survey.DatabaseSurvey;
import io.twinbell.daemon.survey.PairFacts;
import io.twinbell.daemon.survey.ServerFacts;
import io.twinbell.ha.latch.EnsembleSurvey;
import io.twinbell.ha.latch.KnownMembers;
import io.twinbell.ha.latch.Peer;
import io.twinbell.ha.latch.ZooKeeperAccess;
import io.twinbell.node.config.LogConfig;
import io.twinbell.node.config.NodeConfig;
import io.twinbell.node.pair.host.HostSurvey;
import io.twinbell.node.tls.TlsFileException;
import io.twinbell.node.tls.TlsFiles;
import io.twinbell.node.tls.TlsMaterial;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.cluster.MemberRegister;
import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.database.DatabaseUrl;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.database.Migrations;
import io.twinbell.persistence.database.PoolerCheck;
import io.twinbell.persistence.database.ServerHistory;
import io.twinbell.tools.client.ClientTls;
import io.twinbell.tools.client.CommandClock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import javax.net.SocketFactory;
import org.flywaydb.core.api.FlywayException;

/** Checks everything that a node depends on, in the order in which a node needs it; changes nothing. */
public final class Doctor {
    private static final int MEMBERS_SECONDS = 5;

    private final NodeConfig config;
    private final LogConfig log;
    private final String version;
    private final CommandClock clock;
    private final DatabaseSettings settings;
    private final Findings findings = new Findings();

    /** @param version the version of this build */
    public Doctor(NodeConfig config, LogConfig log, String version, CommandClock clock) {
        this.config = config;
        this.log = log;
        this.version = version;
        this.clock = clock;
        settings = settings(config);
    }

    /** Runs all checks. Takes up to half a minute if servers do not answer. */
    public Findings examine() {
        PairFacts pair = examineDatabase();
        ClientTls.use(config.listeners().encryption().tls());
        PairCheck nodes = new PairCheck(config, version, findings);
        nodes.check(examineEnsemble(pair));
        CertificateCheck.check(config.listeners().encryption().tls(), clock.now(), findings);
        new MachineCheck(config, log, findings).check(nodes.self());
        return findings;
    }

    static DatabaseSettings settings(NodeConfig config) {
        return config.database().settings(config.nodeId(), UUID.randomUUID());
    }

    static EnsembleSurvey ensemble(NodeConfig config) {
        return new EnsembleSurvey(
                config.zooKeeper().connect(),
                config.cluster(),
                config.zooKeeper().sessionTimeout(),
                config.zooKeeper().access(),
                sockets(config.zooKeeper().access().tls()));
    }

    /**
     * The content of the cluster's folders; the database tells which entries belong to this pair. A database without the
     * schema has no nodes, and no entry is believed.
     */
    static EnsembleSurvey.TreeContents inhabitants(
            EnsembleSurvey survey, DedicatedConnection connection, PairFacts pair) {
        KnownMembers members = new KnownMembers();
        if (pair.schema() != null) {
            members.refresh(new MemberRegister(connection));
        }
        return survey.inhabitants(members);
    }

    private static SocketFactory sockets(ZooKeeperAccess.Tls tls) {
        if (!tls.isOn()) {
            return SocketFactory.getDefault();
        }
        try {
            TlsFiles files = new TlsFiles(
                    tls.certificate(), null, tls.password(), tls.authorities(), null, TlsFiles.Clients.NONE);
            return TlsMaterial.read(files).client().getSocketFactory();
        } catch (TlsFileException e) {
            throw new IllegalStateException("zookeeper.tls: " + e.getMessage(), e);
        }
    }

    /** Checks the database; returns null if it does not answer. */
    private PairFacts examineDatabase() {
        ReplicationDecision.hosts(
                new HostSurvey(settings).survey(), new DatabaseUrl(settings.url()).targetServerType(), findings);
        try (DatabaseSurvey survey = new DatabaseSurvey(settings, Ticker.SYSTEM)) {
            Optional<String> byTransaction = PoolerCheck.byTransaction(settings.dataSource("survey"));
            DatabaseDecision.sessions(byTransaction, findings);
            DatabaseDecision.requirements(survey.unmet(), findings);
            PairFacts pair = survey.pair();
            ServerFacts server = survey.server();
            DatabaseDecision.server(server, config, findings);
            SessionDecision.judge(survey.session(), new DatabaseUrl(settings.url()).sslMode(), findings);
            DatabaseDecision.settings(survey.settingsSetAside(), survey.harmfulSettings(), findings);
            DatabaseDecision.snapshots(survey.snapshotHolders(), survey.seesOtherSessions(), findings);
            if (!server.isReadOnly()) {
                survey.commit().ifPresent(commit -> DatabaseDecision.commit(commit, findings));
            }
            examineClock(survey);
            if (byTransaction.isEmpty()) {
                DatabaseDecision.locks(survey.unfitForLocks(), survey.lockFallsFree(), findings);
            }
            int newest = Migrations.newest(settings.schema(), settings.dataSource("survey"));
            DatabaseDecision.schema(pair, newest, config.cluster(), findings);
            if (pair.schema() != null && Integer.parseInt(pair.schema()) >= newest) {
                DatabaseDecision.unreadable(survey.unreadableTasks(DatabaseDecision.MOST_TASKS + 1), findings);
            }
            return pair;
        } catch (FlywayException e) {
            findings.fail(
                    "schema",
                    DatabaseUrl.masked(e.getMessage()),
                    "check the schema " + settings.schema().name() + " of the database");
            return null;
        } catch (DatabaseUnavailableException e) {
            findings.fail(
                    "PostgreSQL",
                    DatabaseUrl.masked(config.database().url()) + " as "
                            + config.database().user() + ": " + e.getMessage(),
                    e.advice()
                            .orElse(
                                    e.isRefusal()
                                            ? "first resolve the findings about this database above"
                                            : "start the server, or correct database.url, which must lead to one"
                                                    + " server that accepts writes"));
            return null;
        }
    }

    private void examineClock(DatabaseSurvey survey) {
        DatabaseSurvey.ServerTime serverTime = survey.serverTime();
        long offsetMicros = serverTime.databaseMicros() + serverTime.roundTripNanos() / 2000 - clock.wallMicros();
        DatabaseDecision.clock(offsetMicros / 1000, Duration.ofNanos(serverTime.roundTripNanos()), findings);
    }

    /** @param pair null if the database did not answer */
    private List<Peer> examineEnsemble(PairFacts pair) {
        try (EnsembleSurvey survey = ensemble(config)) {
            if (!EnsembleDecision.servers(survey.servers(), findings)) {
                return List.of();
            }
            if (!survey.connect()) {
                findings.fail(
                        "session",
                        "ZooKeeper's servers answer, but grant no session",
                        "check whether they have a quorum (srvr), and whether clients must authenticate");
                return List.of();
            }
            EnsembleDecision.session(
                    config.zooKeeper().sessionTimeout().toMillis(), survey.negotiatedTimeoutMillis(), findings);
            if (!survey.hasFolder()) {
                findings.fail(
                        "ZooKeeper folder",
                        "ZooKeeper does not have the folder at the end of zookeeper.connect, "
                                + config.zooKeeper().connect(),
                        "correct it, or create the folder with zkCli.sh");
                return List.of();
            }
            EnsembleDecision.access(survey.isOpenToAll(), findings);
            if (pair != null) {
                EnsembleDecision.mark(survey.clusterId(), pair.clusterId(), findings);
                examineHistory(survey.timeline());
            }
            return inhabitants(survey, pair);
        } catch (DatabaseUnavailableException e) {
            findings.fail(
                    "nodes",
                    "the database cannot confirm which entries in ZooKeeper belong to nodes: " + e.getMessage(),
                    "check its log");
            return List.of();
        } catch (IllegalStateException e) {
            findings.fail("ZooKeeper", e.getMessage(), "check its access lists and its log");
            return List.of();
        }
    }

    /**
     * Compares the nodes' latest known position with the database's. The nodes' position must be read first: the
     * database of a running pair is then already ahead of it.
     */
    private void examineHistory(Optional<ServerHistory.Position> known) {
        try (DatabaseSurvey database = new DatabaseSurvey(settings, Ticker.SYSTEM)) {
            EnsembleDecision.history(known, database.position(), findings);
        }
    }

    /** The nodes whose entries the database confirms. Without the database no node is called. */
    private List<Peer> inhabitants(EnsembleSurvey survey, PairFacts pair) {
        if (pair == null) {
            findings.warn(
                    "nodes",
                    "no node is called: without the database, nodes' entries in ZooKeeper cannot be told from others",
                    "first resolve the findings about the database");
            return List.of();
        }
        EnsembleSurvey.TreeContents found;
        try (DedicatedConnection connection = new DedicatedConnection(settings, "members", MEMBERS_SECONDS)) {
            found = inhabitants(survey, connection, pair);
        }
        EnsembleDecision.foreignEntries(found.foreignEntries(), findings);
        EnsembleDecision.master(pair.master(), found.nodes(), config.zooKeeper().connect(), findings);
        return found.nodes();
    }
}
