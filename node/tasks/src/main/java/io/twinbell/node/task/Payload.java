package io.twinbell.node.task;

import io.twinbell.node.engine.task.TaskDefinition;
import io.twinbell.node.task.definition.HandlerSpec;
import io.twinbell.node.template.Template;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Bounds the size of the data, handler body and headers of a task. */
final class Payload {
    static final int MAX_BYTES = 64 * 1024;

    private Payload() {}

    static void check(TaskDefinition definition) {
        long data = bytes(definition.data());
        long call = 0;
        if (definition.handler() instanceof HandlerSpec.HttpCall http) {
            call = http.body() == null ? 0 : bytes(http.body().template().text());
            for (Map.Entry<String, Template> header : http.headers().entrySet()) {
                call += bytes(header.getKey()) + bytes(header.getValue().text());
            }
        }
        if (definition.handler() instanceof HandlerSpec.Sql sql) {
            call = sql.statements().stream()
                            .mapToLong(statement -> bytes(statement.text()))
                            .sum()
                    + bytes(sql.parameters().toString());
        }
        if (definition.handler() instanceof HandlerSpec.Shell shell) {
            call = bytes(shell.command().toString()) + bytes(shell.environment().toString());
        }
        if (data + call > MAX_BYTES) {
            throw new PayloadTooLargeException(data > call ? "/data" : "/handler", data + call, MAX_BYTES);
        }
    }

    private static long bytes(String text) {
        return text == null ? 0 : text.getBytes(StandardCharsets.UTF_8).length;
    }
}
