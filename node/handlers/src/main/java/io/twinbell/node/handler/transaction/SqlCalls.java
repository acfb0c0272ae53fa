package io.twinbell.node.handler.transaction;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.engine.handler.HandlerCall;
import io.twinbell.node.handler.store.CompletingTransaction;
import io.twinbell.node.handler.store.SqlStatement;
import io.twinbell.node.handler.store.SqlStatements;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.task.definition.HandlerSpec;
import io.twinbell.node.template.SqlTemplate;
import io.twinbell.node.template.TemplateException;
import io.twinbell.node.template.Values;
import io.twinbell.node.template.Variable;
import java.util.ArrayList;
import java.util.List;

/** Converts an sql task into statements with parameters for one attempt. */
final class SqlCalls {
    private SqlCalls() {}

    /** @throws TemplateException if a value is missing */
    static SqlStatements statements(HandlerCall call, HandlerSpec.Sql spec, CompletingTransaction.TimeLimits limits) {
        Values values = new Values(
                call.slot().idempotencyKey(),
                call.slot().fireTime(),
                call.attempt(),
                call.data() == null ? null : StrictJson.readStored(call.data()),
                name -> {
                    throw new TemplateException("a statement must not contain a secret");
                });
        List<SqlStatement> statements = new ArrayList<>();
        for (SqlTemplate template : spec.statements()) {
            List<String> parameters = new ArrayList<>();
            for (String name : template.parameters()) {
                JsonNode own = spec.parameters().get(name);
                parameters.add(text(own == null ? values.of(Variable.parse(name)) : own));
            }
            statements.add(new SqlStatement(template.jdbc(), parameters));
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
