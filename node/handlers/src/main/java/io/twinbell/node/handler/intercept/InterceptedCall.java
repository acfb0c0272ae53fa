package io.twinbell.node.handler.intercept;

import io.twinbell.handler.InterceptedRun;
import io.twinbell.node.engine.handler.HandlerCall;
import io.twinbell.node.handler.call.CallContext;
import io.twinbell.node.task.definition.HandlerSpec;
import java.util.List;

/** A call as interceptors see it. */
final class InterceptedCall extends CallContext implements InterceptedRun {
    InterceptedCall(HandlerCall call) {
        super(call);
    }

    @Override
    public List<String> tags() {
        return call.tags();
    }

    @Override
    public String handlerType() {
        return call.spec().type();
    }

    @Override
    public String handlerKey() {
        return call.spec() instanceof HandlerSpec.JavaCode code ? code.key() : null;
    }

    @Override
    public void attribute(String name, String value) {
        call.attributes().put(name, value);
    }
}
