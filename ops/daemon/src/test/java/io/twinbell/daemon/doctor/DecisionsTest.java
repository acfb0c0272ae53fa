package io.twinbell.daemon.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.daemon.doctor.Findings.Level;
import io.twinbell.daemon.survey.DatabaseSurvey;
import io.twinbell.daemon.survey.PairFacts;
import io.twinbell.daemon.survey.ServerFacts;
import io.twinbell.daemon.survey.SessionFacts;
import io.twinbell.ha.latch.EnsembleSurvey.Server;
import io.twinbell.node.config.ConfigReader;
import io.twinbell.node.config.NodeConfig;
import io.twinbell.node.tls.TlsFiles;
import io.twinbell.node.tls.TlsInit;
import io.twinbell.node.tls.TlsMaterial;
import io.twinbell.persistence.database.DatabaseRequirements;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DecisionsTest {
    private static final NodeConfig CONFIG = ConfigReader.read(
            null,
            Map.of(),
            List.of("node.id=a", "database.url=jdbc:postgresql://db/twinbell", "zookeeper.connect=zk:2181"));

    private final Findings findings = new Findings();

    @Test
    void a_sound_server_is_sound() {
        DatabaseDecision.server(server("17.5", 170_005, false, "", 100, 3), CONFIG, findings);
        assertEquals(Level.OK, findings.worst(), levels());
    }

    @Test
    void a_server_that_takes_no_writes_and_one_that_is_not_durable_are_failures() {
        DatabaseDecision.server(server("13.9", 130_009, true, "fsync = off", 100, 3), CONFIG, findings);
        assertEquals("primary FAIL, durability FAIL, connections OK", levels());
    }

    @Test
    void a_certificate_is_sound_until_thirty_days_before_its_end(@TempDir Path directory) throws Exception {
        TlsInit authority = new TlsInit(directory, 40);
        authority.issue(List.of(new TlsInit.Request("a", List.of("localhost"), TlsInit.Use.NODE)), false);
        TlsFiles files =
                new TlsFiles(authority.certificate("a"), authority.key("a"), null, null, null, TlsFiles.Clients.NONE);
        Instant end = TlsMaterial.read(files).end().orElseThrow();
        CertificateCheck.check(files, end.minus(Duration.ofDays(31)), findings);
        CertificateCheck.check(files, end.minus(Duration.ofDays(29)), findings);
        CertificateCheck.check(files, end, findings);
        Files.delete(authority.key("a"));
        CertificateCheck.check(files, end.minus(Duration.ofDays(31)), findings);
        CertificateCheck.check(TlsFiles.NONE, end, findings);
        assertEquals("certificate OK, certificate WARN, certificate FAIL, certificate FAIL", levels());
    }

    @Test
    void a_session_is_safe_on_one_machine_or_with_a_verified_server_and_a_role_without_further_rights() {
        SessionDecision.judge(session(true, false, false, ""), null, findings);
        SessionDecision.judge(session(false, true, false, ""), "verify-full", findings);
        String each = "database TLS OK, database role OK, database access OK";
        assertEquals(each + ", " + each, levels());
    }

    @Test
    void each_weakness_of_a_session_is_a_warning() {
        SessionDecision.judge(session(false, false, true, ""), null, findings);
        SessionDecision.judge(session(false, true, false, "CREATEDB"), "require", findings);
        assertEquals(
                "database TLS WARN, database role WARN, database access OK, database TLS WARN, database role WARN,"
                        + " database access OK",
                levels());
    }

    @Test
    void an_owner_an_open_audit_and_an_open_database_are_warnings() {
        judge(new SessionFacts.RoleRights("twinbell", false, "", true, false), PAIR_ALONE, "scram-sha-256");
        judge(new SessionFacts.RoleRights("twinbell", false, "", false, true), PAIR_ALONE, "scram-sha-256");
        judge(PLAIN, new SessionFacts.OtherRoles(true, List.of("shop")), "md5");
        judge(PLAIN, new SessionFacts.OtherRoles(false, List.of("shop")), "scram-sha-256");
        assertEquals(
                "database role WARN, database access OK, database role WARN, database access OK, database role OK,"
                        + " database access WARN, passwords WARN, database role OK, database access OK",
                levels().replace("database TLS OK, ", ""));
        assertTrue(findings.all().stream().anyMatch(one -> one.said().contains("such as shop")));
    }

    private static final SessionFacts.OtherRoles PAIR_ALONE = new SessionFacts.OtherRoles(false, List.of());
    private static final SessionFacts.RoleRights PLAIN =
            new SessionFacts.RoleRights("twinbell", false, "", false, false);

    private void judge(SessionFacts.RoleRights role, SessionFacts.OtherRoles others, String passwordEncryption) {
        SessionDecision.judge(new SessionFacts(true, false, role, passwordEncryption, others), null, findings);
    }

    private static SessionFacts session(boolean isLocal, boolean isEncrypted, boolean isSuperuser, String rights) {
        return new SessionFacts(
                isLocal,
                isEncrypted,
                new SessionFacts.RoleRights("twinbell", isSuperuser, rights, false, false),
                "scram-sha-256",
                PAIR_ALONE);
    }

    @Test
    void too_few_connections_are_a_failure_and_a_busy_server_is_a_warning() {
        DatabaseDecision.server(server("17.5", 170_005, false, "", 20, 3), CONFIG, findings);
        DatabaseDecision.server(server("17.5", 170_005, false, "", 100, 95), CONFIG, findings);
        assertEquals(
                "PostgreSQL OK, durability OK, connections FAIL, PostgreSQL OK, durability OK, connections WARN",
                levels());
    }

    @Test
    void an_invisible_setting_is_not_called_checked() {
        DatabaseDecision.snapshots(List.of(), true, findings);
        assertEquals("", levels());
        DatabaseDecision.snapshots(List.of(), false, findings);
        assertEquals("vacuum OK", levels());
        assertTrue(
                findings.all().get(0).said().startsWith("not checked for sessions of other roles: grant pg_monitor"));
    }

    @Test
    void a_setting_for_a_person_to_change_fails_and_an_unreachable_one_warns() {
        DatabaseDecision.requirements(
                List.of(new DatabaseRequirements.UnmetRequirement("encoding", "it is LATIN1", "create another one")),
                findings);
        DatabaseDecision.settings(List.of("jit = on (user)"), List.of("track_counts = off"), findings);
        DatabaseDecision.settings(List.of(), List.of(), findings);
        assertEquals("encoding FAIL, settings OK, settings WARN, settings OK", levels());
        assertTrue(findings.all().get(1).said().endsWith("jit = on (user)"));
    }

    private static ServerFacts server(
            String version, int number, boolean isReadOnly, String unsafe, int max, int used) {
        return new ServerFacts(
                version, number, isReadOnly, unsafe, new ServerFacts.ConnectionSlots(max, used), "twinbell");
    }

    @Test
    void a_commit_that_does_not_end_is_a_failure_that_names_the_replica() {
        Duration bound = Duration.ofSeconds(5);
        DatabaseDecision.commit(new DatabaseSurvey.CommitFacts(Duration.ofMillis(3), bound, "replica", 1), findings);
        DatabaseDecision.commit(new DatabaseSurvey.CommitFacts(null, bound, "replica", 0), findings);
        DatabaseDecision.commit(new DatabaseSurvey.CommitFacts(null, bound, "", 0), findings);
        assertEquals("commit OK, commit FAIL, commit FAIL", levels());
        assertEquals(
                "a commit did not end within 5 s: nothing can be claimed or recorded; synchronous_standby_names is"
                        + " 'replica', and no replica is attached",
                findings.all().get(1).said());
    }

    @Test
    void a_clock_is_off_from_a_second_on() {
        DatabaseDecision.clock(1000, Duration.ofMillis(3), findings);
        DatabaseDecision.clock(-1001, Duration.ofMillis(3), findings);
        assertEquals("clock OK, clock WARN", levels());
        assertTrue(findings.all().get(1).said().startsWith("the database is 1001 ms behind this machine"));
    }

    @Test
    void a_pooler_and_a_lock_that_stays_turn_fast_takeover_off() {
        DatabaseDecision.locks(Optional.of("database.url points to a pooler"), Optional.empty(), findings);
        DatabaseDecision.locks(Optional.empty(), Optional.empty(), findings);
        DatabaseDecision.locks(Optional.empty(), Optional.of(Duration.ofMillis(2)), findings);
        assertEquals("fast takeover WARN, pooler OK, fast takeover WARN, pooler OK, fast takeover OK", levels());
    }

    @Test
    void a_schema_that_has_outgrown_the_build_is_a_failure_and_an_older_one_a_warning() {
        for (String schema : new String[] {null, "9", "10", "11"}) {
            DatabaseDecision.schema(
                    new PairFacts(schema, 10, "twinbell", "id", "1", "1", null), 10, "twinbell", findings);
        }
        DatabaseDecision.schema(new PairFacts("11", 11, "twinbell", "id", "1", "1", null), 10, "twinbell", findings);
        assertEquals("schema OK, schema WARN, schema OK, schema OK, schema FAIL", levels());
    }

    @Test
    void one_server_of_three_that_is_down_is_a_warning_two_are_failures() {
        Server up = new Server("zk1:2181", "3.9.5", "leader", null);
        Server down = new Server("zk2:2181", null, null, "Connection refused");
        EnsembleDecision.servers(List.of(up, up, down), findings);
        assertEquals("ZooKeeper OK, ZooKeeper OK, ZooKeeper WARN", levels());
        Findings worse = new Findings();
        assertTrue(EnsembleDecision.servers(Arrays.asList(up, down, down), worse));
        assertEquals(Level.FAIL, worse.worst());
    }

    @Test
    void another_timeout_than_asked_for_and_an_open_folder_are_warnings() {
        EnsembleDecision.session(1000, 4000, findings);
        EnsembleDecision.access(Optional.of(true), findings);
        EnsembleDecision.access(Optional.of(false), findings);
        assertEquals("session WARN, ZooKeeper ACL WARN, ZooKeeper ACL OK", levels());
    }

    private String levels() {
        return findings.all().stream()
                .map(finding -> finding.check() + " " + finding.level())
                .collect(Collectors.joining(", "));
    }
}
