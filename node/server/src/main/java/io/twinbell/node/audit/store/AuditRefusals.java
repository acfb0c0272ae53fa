package io.twinbell.node.audit.store;

import io.twinbell.node.audit.store.AuditRefusals.RefusedAttempt.Counted;
import io.twinbell.persistence.actor.Actor;
import io.twinbell.persistence.database.Transactions;
import io.twinbell.persistence.ledger.ColumnArrays;
import java.sql.PreparedStatement;
import java.util.List;
import javax.sql.DataSource;

/** Enters refused attempts in the audit. */
public final class AuditRefusals {
    private static final String ENTER = """
            select twinbell.audit_refusals(coalesce(jsonb_agg(to_jsonb(a)), '[]'))
            from unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::bigint[])
              as a(actor, channel, address, request, act, detail, items)""";

    private final Transactions transactions;

    /**
     * An attempt that a node refused.
     *
     * @param client whose attempt it was; its request is the first one where the entry stands for many
     * @param act what was refused: {@code SIGN_IN}, {@code REQUEST} or {@code CONNECT}
     * @param detail why
     */
    public record RefusedAttempt(Actor client, String act, String detail) {
        /** Unknown credentials, or none where some are needed. */
        public static final String SIGN_IN = "SIGN_IN";

        /** A request that the client's rights do not permit, or that a foreign page sent. */
        public static final String REQUEST = "REQUEST";

        /** A connection that was closed before the client could sign in. */
        public static final String CONNECT = "CONNECT";

        /** Equal attempts, as one entry. */
        public record Counted(RefusedAttempt first, long items) {}
    }

    public AuditRefusals(DataSource pool) {
        transactions = new Transactions(pool);
    }

    public void enter(List<Counted> attempts) {
        transactions.run("enter refused attempts", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(ENTER)) {
                new ColumnArrays<>(statement, 1, attempts)
                        .texts(each -> each.first().client().name())
                        .texts(each -> each.first().client().channel().name())
                        .texts(each -> each.first().client().address())
                        .texts(each -> each.first().client().request())
                        .texts(each -> each.first().act())
                        .texts(each -> each.first().detail())
                        .longs(Counted::items);
                return statement.execute();
            }
        });
    }
}
