package io.twinbell.node.alert.store;

import io.twinbell.persistence.database.Transactions;
import java.util.OptionalLong;
import javax.sql.DataSource;

/** Records pings in PostgreSQL. */
public final class JdbcTaskPings implements TaskPings {
    private static final String PING = """
            insert into twinbell.task_ping (task_id, at) select id, clock_timestamp() from twinbell.task where id = ?
            on conflict (task_id) do update set at = excluded.at returning twinbell.millis(at)""";

    private final Transactions transactions;

    public JdbcTaskPings(DataSource pool) {
        this(new Transactions(pool));
    }

    public JdbcTaskPings(Transactions transactions) {
        this.transactions = transactions;
    }

    @Override
    public OptionalLong ping(long taskId) {
        return transactions.run("ping a task", c -> AlertRows.query(c, row -> row.getLong(1), PING, taskId)).stream()
                .mapToLong(Long::longValue)
                .findFirst();
    }
}
