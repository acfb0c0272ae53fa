package io.twinbell.node.handler;

import io.twinbell.handler.TaskHandler;
import io.twinbell.node.task.HandlerSpec;

/** The {@code java} handler: code of the embedding program or of a plugin, on the worker's own thread. */
final class JavaRunner {
    private static final int OUTPUT_LIMIT = 8192;

    private final JavaHandlers handlers;

    JavaRunner(JavaHandlers handlers) {
        this.handlers = handlers;
    }

    Outcome run(Call call, HandlerSpec.JavaCode code) throws Exception {
        TaskHandler handler;
        try {
            handler = handlers.get(code.key());
        } catch (JavaHandlers.NoSuchHandlerException e) {
            return Outcome.failed(e.getMessage(), null);
        }
        Thread thread = Thread.currentThread();
        ClassLoader own = thread.getContextClassLoader();
        thread.setContextClassLoader(handler.getClass().getClassLoader());
        try {
            return Outcome.succeeded(output(handler.run(new CallContext(call))));
        } finally {
            thread.setContextClassLoader(own);
        }
    }

    private static String output(Object result) {
        String output = result == null ? null : result.toString();
        return output == null || output.length() <= OUTPUT_LIMIT ? output : output.substring(0, OUTPUT_LIMIT);
    }
}
