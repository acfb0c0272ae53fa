package io.twinbell;

import io.twinbell.client.HandlerKey;
import io.twinbell.client.PayloadException;
import io.twinbell.handler.TaskContext;
import io.twinbell.handler.TaskFailedException;
import io.twinbell.handler.TaskHandler;
import io.twinbell.handler.TypedHandler;
import io.twinbell.node.engine.handler.ErrorCodes;

/**
 * The handler that runs typed code: before each attempt it reads the payload as the key's type. A payload that cannot
 * be read fails the execution without further attempts.
 */
record TypedCode<T>(HandlerKey<T> key, TypedHandler<T> code) implements TaskHandler {
    @Override
    public Object run(TaskContext context) throws Exception {
        T payload;
        try {
            payload = key.read(context.data());
        } catch (PayloadException e) {
            throw new TaskFailedException(ErrorCodes.UNREADABLE_PAYLOAD, e.getMessage(), e);
        }
        return code.run(payload, context);
    }
}
