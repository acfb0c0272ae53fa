package io.twinbell.spring;

import io.twinbell.Twinbell;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * The node of this application. It starts after the application's other beans and stops before them: before the beans
 * that handlers use are destroyed, a master hands over, and running handlers may end.
 */
public final class TwinbellNode implements SmartLifecycle {
    /**
     * How long the start waits for the node to join, so that the tables exist before a request enqueues.
     *
     * @param isRequired whether the start fails if it has not joined by then. If it has ended by then, the start fails
     *     anyway
     */
    record Joining(Duration timeout, boolean isRequired) {}

    /** The web server starts later and stops earlier. */
    private static final int PHASE = DEFAULT_PHASE - 4096;

    private static final Logger LOG = LoggerFactory.getLogger(TwinbellNode.class);

    private final Supplier<Twinbell> start;
    private final Joining joining;
    private final List<Consumer<Twinbell>> onStart;
    private final List<Runnable> onStop;
    private volatile Twinbell node;

    /**
     * Creates a node that has not started.
     *
     * @param onStart what begins with the node
     * @param onStop what ends before the node stops
     */
    TwinbellNode(Supplier<Twinbell> start, Joining joining, List<Consumer<Twinbell>> onStart, List<Runnable> onStop) {
        this.start = start;
        this.joining = joining;
        this.onStart = onStart;
        this.onStop = onStop;
    }

    /**
     * Returns the running node, for what the client cannot do: {@code node().tasks()}, {@code defaults()}, {@code role()}.
     *
     * @throws IllegalStateException before the context has started, and after it has stopped
     */
    public Twinbell node() {
        return running().orElseThrow(() -> new IllegalStateException("the node is not running"));
    }

    /** Returns the node if it is running. */
    public Optional<Twinbell> running() {
        return Optional.ofNullable(node);
    }

    @Override
    public void start() {
        if (node == null) {
            Twinbell started = start.get();
            node = started;
            if (!started.awaitJoined(joining.timeout)) {
                missed(started);
            }
            onStart.forEach(then -> then.accept(started));
        }
    }

    private void missed(Twinbell started) {
        // First, because a node that has ended keeps its reason.
        boolean hasEnded = started.hasEnded();
        String obstacle = started.joinObstacle().orElse("no reason is known");
        if (hasEnded) {
            throw refused(
                    started,
                    "The node has ended by itself and does not join the pair: " + obstacle,
                    "Resolve what the message names, and start the application again. twinbell.join-required=false does"
                            + " not help here: the node would not try again.");
        }
        if (joining.isRequired) {
            throw refused(
                    started,
                    "The node has not joined the pair within " + joining.timeout.toMillis() + " ms: " + obstacle,
                    "Check that the ZooKeeper of twinbell.zookeeper.connect and the database of the DataSource run and can"
                            + " be reached. With twinbell.join-required=false the application starts anyway, and the"
                            + " node joins later.");
        }
        LOG.warn("The application starts before its node has joined the pair. The node keeps trying: {}", obstacle);
    }

    private StartRefusedException refused(Twinbell started, String description, String action) {
        started.close();
        node = null;
        return new StartRefusedException(description, action, null);
    }

    @Override
    public void stop() {
        Twinbell running = node;
        if (running != null) {
            onStop.forEach(Runnable::run);
            running.close();
            node = null;
        }
    }

    @Override
    public boolean isRunning() {
        return node != null;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
