package io.twinbell.node.handler;

import io.twinbell.node.config.NodeConfig;
import io.twinbell.node.task.HandlerSpec;
import io.twinbell.node.template.TemplateException;
import io.twinbell.persistence.ledger.CompletingTransaction;
import io.twinbell.persistence.ledger.TransactionWork;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The {@code sql} handler: statements in the transaction that completes their execution. */
final class SqlRunner {
    static final String OFF = "sql tasks are off on this node: handlers.sql.enabled must be true in its configuration";
    private static final Duration IDLE = Duration.ofSeconds(5);

    private final NodeConfig.SqlHandler settings;
    private final TransactionRunner transactions;

    SqlRunner(NodeConfig.SqlHandler settings, TransactionRunner transactions) {
        this.settings = settings;
        this.transactions = transactions;
    }

    CompletionStage<Outcome> start(Call call, HandlerSpec.Sql spec) {
        if (!settings.isEnabled()) {
            return CompletableFuture.completedFuture(Outcome.failed(OFF, null));
        }
        TransactionWork work;
        try {
            work = SqlCalls.statements(call, spec);
        } catch (TemplateException e) {
            return CompletableFuture.completedFuture(Outcome.failed("not run: " + e.getMessage(), null));
        }
        return transactions.start(call, new CompletingTransaction.Limits(call.timeout(), IDLE, settings.role()), work);
    }
}
