package io.twinbell.node.task.reader;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.json.Fields;
import io.twinbell.node.task.definition.HandlerSpec;
import io.twinbell.node.template.SqlTemplate;
import io.twinbell.node.template.TemplateException;
import io.twinbell.node.template.Values;
import io.twinbell.node.template.Variable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** Reads the statements of an sql task, and refuses unknown parameters when the task is stored. */
final class SqlReader {
    private static final int MAX_STATEMENTS = 100;
    private static final int MAX_PARAMETERS = 100;
    private static final Pattern NAME = Pattern.compile("[A-Za-z][A-Za-z0-9_]{0,62}");
    private static final Set<String> RESERVED = Set.of("slot", "fireTime", "attempt", "data", "secret");

    private SqlReader() {}

    static HandlerSpec read(Fields handler, ObjectNode normalized, Values sample) {
        Map<String, JsonNode> own = parameters(handler);
        List<SqlTemplate> statements = statements(handler, own, sample);
        if (statements.size() == 1) {
            normalized.put("statement", statements.get(0).text());
        } else {
            ArrayNode texts = normalized.putArray("statement");
            statements.forEach(statement -> texts.add(statement.text()));
        }
        if (!own.isEmpty()) {
            ObjectNode written = normalized.putObject("parameters");
            own.forEach(written::set);
        }
        return new HandlerSpec.Sql(statements, own);
    }

    private static List<SqlTemplate> statements(Fields handler, Map<String, JsonNode> own, Values sample) {
        JsonNode given = handler.required("statement");
        List<SqlTemplate> statements = new ArrayList<>();
        if (given == null) {
            return statements;
        }
        if (given.isArray() && (given.isEmpty() || given.size() > MAX_STATEMENTS)) {
            handler.error("statement", "must have 1 to " + MAX_STATEMENTS + " statements");
        }
        int count = given.isArray() ? given.size() : 1;
        for (int i = 0; i < count; i++) {
            JsonNode text = given.isArray() ? given.get(i) : given;
            try {
                statements.add(statement(text, own, sample));
            } catch (TemplateException e) {
                handler.errorBelow("/statement" + (given.isArray() ? "/" + i : ""), e.getMessage());
            }
        }
        return List.copyOf(statements);
    }

    private static SqlTemplate statement(JsonNode text, Map<String, JsonNode> own, Values sample) {
        if (!text.isTextual()) {
            throw new TemplateException("must be a string, or a list of strings");
        }
        SqlTemplate statement = SqlTemplate.parse(text.textValue());
        for (String name : statement.parameters()) {
            if (!own.containsKey(name)) {
                check(name, own, sample);
            }
        }
        return statement;
    }

    private static void check(String name, Map<String, JsonNode> own, Values sample) {
        Variable variable;
        try {
            variable = Variable.parse(name);
        } catch (TemplateException e) {
            throw new TemplateException(
                    "unknown parameter \":" + name + "\"; known are :slot, :fireTime, :attempt, :data, :data.PATH"
                            + (own.isEmpty() ? " and the members of \"parameters\"" : " and " + own.keySet()));
        }
        if (variable.kind() == Variable.Kind.SECRET) {
            throw new TemplateException("must not contain a secret");
        }
        sample.of(variable);
    }

    private static Map<String, JsonNode> parameters(Fields handler) {
        Fields given = handler.object("parameters");
        Map<String, JsonNode> parameters = new LinkedHashMap<>();
        if (given == null) {
            return parameters;
        }
        if (given.all().size() > MAX_PARAMETERS) {
            handler.error("parameters", "must have at most " + MAX_PARAMETERS + " members");
            return parameters;
        }
        for (Map.Entry<String, JsonNode> parameter : given.all()) {
            String name = parameter.getKey();
            if (!NAME.matcher(name).matches() || RESERVED.contains(name)) {
                given.error(
                        name,
                        "is not a valid name: use letters, digits and \"_\", and none of "
                                + RESERVED.stream().sorted().toList());
            } else {
                parameters.put(name, parameter.getValue());
            }
        }
        return parameters;
    }
}
