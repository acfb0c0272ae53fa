package io.twinbell.node.handler.transaction;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.engine.handler.ErrorCodes;
import io.twinbell.node.engine.handler.HandlerCall;
import io.twinbell.node.engine.handler.HandlerOutcome;
import io.twinbell.node.handler.config.HandlerConfig;
import io.twinbell.node.handler.store.CompletingTransaction;
import io.twinbell.node.handler.store.SqlStatements;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.task.definition.HandlerSpec;
import io.twinbell.node.template.SqlTemplate;
import io.twinbell.node.template.TemplateException;
import io.twinbell.node.template.Values;
import io.twinbell.node.template.Variable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The {@code sql} handler: runs statements in the transaction that completes their execution. */
public final class SqlRunner {
    public static final String OFF =
            "sql tasks are disabled on this node: set handlers.sql.enabled to true in its configuration";
    private static final Duration IDLE = Duration.ofSeconds(5);
    /** The maximum duration: an open transaction prevents vacuum from cleaning every table of the database. */
    private static final Duration LONGEST = Duration.ofHours(1);

    private final HandlerConfig.SqlHandler settings;
    private final TransactionRunner transactions;

    public SqlRunner(HandlerConfig.SqlHandler settings, TransactionRunner transactions) {
        this.settings = settings;
        this.transactions = transactions;
    }

    public CompletionStage<HandlerOutcome> start(HandlerCall call, HandlerSpec.Sql spec) {
        if (!settings.isEnabled()) {
            return CompletableFuture.completedFuture(HandlerOutcome.failed(ErrorCodes.REFUSED, OFF, null));
        }
        Duration given = call.timeout();
        Duration timeout = given == null || given.compareTo(LONGEST) > 0 ? LONGEST : given;
        SqlStatements work;
        try {
            work = statements(call, spec, new CompletingTransaction.TimeLimits(timeout, IDLE));
        } catch (TemplateException e) {
            return CompletableFuture.completedFuture(
                    HandlerOutcome.failed(ErrorCodes.REFUSED, "not run: " + e.getMessage(), null));
        }
        return transactions.startRestricted(call, work);
    }

    /**
     * The statements of one attempt, with their parameters.
     *
     * @throws TemplateException if a value is missing
     */
    private static SqlStatements statements(
            HandlerCall call, HandlerSpec.Sql spec, CompletingTransaction.TimeLimits limits) {
        Values values = new Values(
                call.slot().idempotencyKey(),
                call.slot().fireTime(),
                call.attempt(),
                call.data() == null ? null : StrictJson.readStored(call.data()),
                name -> {
                    throw new TemplateException("a statement must not contain a secret");
                });
        List<SqlStatements.SqlStatement> statements = new ArrayList<>();
        for (SqlTemplate template : spec.statements()) {
            List<String> parameters = new ArrayList<>();
            for (String name : template.parameters()) {
                JsonNode own = spec.parameters().get(name);
                parameters.add(text(own == null ? values.of(Variable.parse(name)) : own));
            }
            statements.add(new SqlStatements.SqlStatement(template.jdbc(), parameters));
        }
        return new SqlStatements(statements, limits);
    }

    private static String text(JsonNode value) {
        if (value.isNull()) {
            return null;
        }
        return value.isTextual() ? value.textValue() : value.toString();
    }
}
