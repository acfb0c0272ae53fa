package io.twinbell.daemon;

import io.twinbell.node.pair.SchedulerNode;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles SIGTERM and SIGINT: the first one drains the node, a second one ends the drain. A shutdown hook runs only
 * once and could not react to a second signal. The signals are therefore handled directly, through an unofficial API of
 * the JDK that the compiler allows only by reflection.
 */
final class TerminationSignals {
    private static final Logger LOG = LoggerFactory.getLogger(TerminationSignals.class);

    private TerminationSignals() {}

    static void stopOnTerm(SchedulerNode node) {
        AtomicBoolean stopping = new AtomicBoolean();
        Runnable onSignal = () -> {
            if (stopping.compareAndSet(false, true)) {
                LOG.info("stopping: draining");
                new Thread(node::close, "closer").start();
            } else {
                LOG.info("stopping: not waiting for running handlers");
                node.endDrainNow();
            }
        };
        try {
            handle("TERM", onSignal);
            handle("INT", onSignal);
        } catch (ReflectiveOperationException e) {
            LOG.warn("cannot handle signals, so a second signal does not shorten a drain: {}", e.toString());
            Runtime.getRuntime().addShutdownHook(new Thread(node::close, "closer"));
        }
    }

    private static void handle(String name, Runnable onSignal) throws ReflectiveOperationException {
        Class<?> signal = Class.forName("sun.misc.Signal");
        Class<?> handler = Class.forName("sun.misc.SignalHandler");
        Object proxy = Proxy.newProxyInstance(
                TerminationSignals.class.getClassLoader(), new Class<?>[] {handler}, (self, method, arguments) -> {
                    onSignal.run();
                    return null;
                });
        signal.getMethod("handle", signal, handler)
                .invoke(null, signal.getConstructor(String.class).newInstance(name), proxy);
    }
}
