package io.twinbell.node.engine.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.twinbell.node.engine.PromotedClaims;
import io.twinbell.node.engine.TestRuns;
import io.twinbell.node.engine.run.Run;
import io.twinbell.node.engine.step.TrustWindow;
import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.EpochRegister;
import io.twinbell.persistence.epoch.JdbcEpochRegister;
import io.twinbell.persistence.ledger.journal.ClaimJournal;
import io.twinbell.persistence.testing.HandTicker;
import io.twinbell.persistence.testing.TestDouble;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

class StartCheckTest {
    private final PGSimpleDataSource database = TestPostgres.freshDatabase();
    private final DatabaseSettings settings = TestSettings.of(database, "a");

    @AutoClose
    private final DedicatedConnection connection = new DedicatedConnection(settings, "gate", 5);

    private final EpochRegister register = new JdbcEpochRegister(settings, connection);
    private final HandTicker ticker = new HandTicker();
    private final TrustWindow trust = new TrustWindow(ticker, ticker, () -> Instant.ofEpochSecond(0, ticker.nanos()));
    private final List<String> fenced = new ArrayList<>();
    private final PromotedClaims claims = new PromotedClaims();
    private final StartCheck startCheck =
            new StartCheck(trust, register, (epoch, writes) -> fenced.add(epoch.number() + " " + writes), claims);

    @Test
    void recent_authority_is_believed_without_asking() {
        Epoch epoch = open();
        trust.proven(trust.before(epoch));
        open();
        assertEquals(
                StartCheck.Verdict.OPEN,
                startCheck.check(run(epoch)),
                "superseded a moment ago, and trusted for a second");
    }

    @Test
    void the_authority_of_an_epoch_that_is_handed_over_is_believed_for_its_time_and_not_renewed() {
        Epoch epoch = open();
        trust.proven(trust.before(epoch));
        startCheck.handOver(epoch);
        assertEquals(StartCheck.Verdict.OPEN, startCheck.check(run(epoch)));
        ticker.pass(TrustWindow.WINDOW);
        assertEquals(StartCheck.Verdict.UNKNOWN, startCheck.check(run(epoch)));
        open();
        assertEquals(StartCheck.Verdict.UNKNOWN, startCheck.check(run(epoch)), "it waits to be handed back");
        assertEquals(List.of(), fenced, "an orderly hand-over fences nobody");
    }

    @Test
    void a_claim_that_a_promoted_database_may_lack_does_not_start_while_its_epoch_is_handed_over() {
        Epoch epoch = open();
        trust.proven(trust.before(epoch));
        startCheck.handOver(epoch);
        claims.promote(ClaimJournal.Answer.CLAIMED);
        assertEquals(StartCheck.Verdict.UNKNOWN, startCheck.check(run(epoch)));
    }

    @Test
    void older_authority_is_renewed_by_a_guarded_statement() {
        Epoch epoch = open();
        assertEquals(StartCheck.Verdict.OPEN, startCheck.check(run(epoch)));
        ticker.pass(Duration.ofSeconds(2));
        assertEquals(StartCheck.Verdict.OPEN, startCheck.check(run(epoch)));
        assertEquals(List.of(), fenced);
    }

    /** The register, whose confirmations are answered only after this time. */
    private EpochRegister confirmingAfter(Duration time) {
        return TestDouble.of(EpochRegister.class, (method, values) -> {
            Object answer = method.invoke(register, values);
            if (method.getName().equals("confirm")) {
                ticker.pass(time);
            }
            return answer;
        });
    }

    @Test
    void trust_counts_from_before_the_statement_however_late_its_answer() {
        Epoch epoch = open();
        StartCheck slow =
                new StartCheck(trust, confirmingAfter(TrustWindow.WINDOW), (over, writes) -> fenced.add("?"), claims);
        assertEquals(StartCheck.Verdict.UNKNOWN, slow.check(run(epoch)));
        assertEquals(List.of(), fenced);
    }

    @Test
    void superseded_authority_is_refused_and_said() {
        Epoch epoch = open();
        trust.proven(trust.before(epoch));
        ticker.pass(Duration.ofSeconds(1));
        open();
        assertEquals(StartCheck.Verdict.SUPERSEDED, startCheck.check(run(epoch)));
        assertEquals(List.of(epoch.number() + " 1"), fenced);
    }

    @Test
    void without_the_database_nobody_knows() {
        DatabaseSettings nowhere =
                new DatabaseSettings("jdbc:postgresql://127.0.0.1:1/none", "none", "", "a", settings.incarnation());
        try (DedicatedConnection broken = new DedicatedConnection(nowhere, "gate", 1)) {
            StartCheck shut = new StartCheck(
                    trust, new JdbcEpochRegister(nowhere, broken), (epoch, writes) -> fenced.add("?"), claims);
            assertEquals(StartCheck.Verdict.UNKNOWN, shut.check(run(TestRuns.epoch(1))));
            assertEquals(List.of(), fenced);
        }
    }

    @Test
    void after_a_promotion_of_the_database_authority_alone_starts_nothing() {
        Epoch epoch = open();
        Run kept = run(epoch);
        trust.proven(trust.before(epoch));
        claims.promote(ClaimJournal.Answer.CLAIMED);
        assertEquals(StartCheck.Verdict.OPEN, startCheck.check(kept));
        assertEquals(StartCheck.Verdict.OPEN, startCheck.check(kept));
        assertEquals(List.of(1L), claims.looked(), "once found, it is not looked up again");
        claims.promote(ClaimJournal.Answer.VANISHED);
        assertEquals(StartCheck.Verdict.VANISHED, startCheck.check(kept));
        claims.promote(ClaimJournal.Answer.SUPERSEDED);
        assertEquals(StartCheck.Verdict.SUPERSEDED, startCheck.check(kept));
        assertEquals(List.of(epoch.number() + " 1"), fenced);
    }

    private static Run run(Epoch epoch) {
        return TestRuns.run(epoch, 1, TestRuns.START);
    }

    private Epoch open() {
        return TestSettings.openEpoch(register, settings, register.read().epoch());
    }
}
