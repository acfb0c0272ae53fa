package io.twinbell.daemon;

import ch.qos.logback.classic.LoggerContext;
import io.twinbell.daemon.command.ConfigOptions;
import io.twinbell.daemon.command.PrivateEnvironment;
import io.twinbell.daemon.logging.NodeLog;
import io.twinbell.node.config.LogConfig;
import io.twinbell.node.config.NodeConfig;
import io.twinbell.node.pair.RegisteredCode;
import io.twinbell.node.pair.SchedulerNode;
import io.twinbell.node.settings.ConfigException;
import io.twinbell.persistence.cluster.NodeIdInUseException;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The program that runs one node until a signal ends it. */
@Command(
        name = "twinbell-node",
        mixinStandardHelpOptions = true,
        description = "Runs one node of the pair until SIGTERM. The node then drains; after a second SIGTERM, it does"
                + " not wait for running handlers.")
public final class NodeMain implements Callable<Integer> {
    private static final String LOG_CONFIGURATION = "logback.configurationFile";
    /**
     * Whether this program configures the log. If the user names a Logback file, that file applies and the keys log.*
     * are ignored.
     */
    private static final boolean BRINGS_LOG;

    static {
        // A node embedded in another program uses that program's log configuration; only the daemon brings its own.
        BRINGS_LOG = System.getProperty(LOG_CONFIGURATION) == null;
        if (BRINGS_LOG) {
            System.setProperty(LOG_CONFIGURATION, "io/twinbell/daemon/logback.xml");
        }
    }

    private static final Logger LOG = LoggerFactory.getLogger(NodeMain.class);
    /** Starting again may help. */
    private static final int FAILED = 1;
    /** An operator must decide something before this node may run; the log says what. */
    private static final int UNDECIDED = 77;

    private static final int BAD_CONFIGURATION = 78;

    @Mixin
    private ConfigOptions options;

    private NodeMain() {}

    public static void main(String[] args) {
        System.exit(new CommandLine(new NodeMain()).execute(args));
    }

    @Override
    public Integer call() throws InterruptedException {
        NodeConfig config;
        try {
            Map<String, String> environment = PrivateEnvironment.read(System.getenv());
            config = options.read(environment);
            setUpLog(options.readLog(environment), config.nodeId());
        } catch (ConfigException e) {
            LOG.error("{}", e.getMessage());
            return BAD_CONFIGURATION;
        }
        return run(config);
    }

    private static void setUpLog(LogConfig config, String node) {
        if (BRINGS_LOG && LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
            try {
                NodeLog.setUp(context, config, node);
            } catch (IOException e) {
                throw new ConfigException(List.of(
                        "log.directory: cannot write the log to " + config.directory() + ": " + e.getMessage()));
            }
        }
    }

    private static int run(NodeConfig config) throws InterruptedException {
        SchedulerNode node;
        try {
            node = new SchedulerNode(config, RegisteredCode.NONE, ManagementFactory::getPlatformMBeanServer);
        } catch (ConfigException e) {
            LOG.error("node {} cannot start: {}", config.nodeId(), e.getMessage());
            return BAD_CONFIGURATION;
        }
        try {
            node.start();
        } catch (RuntimeException e) {
            LOG.error("node {} cannot start: {}", config.nodeId(), e.getMessage());
            LOG.debug("cannot start", e);
            return FAILED;
        }
        LOG.info(
                "node {} serves {}",
                config.nodeId(),
                config.listeners().http().isEnabled() ? node.url() : "no API: http.enabled is false");
        TerminationSignals.stopOnTerm(node);
        try {
            node.ended().get();
            return 0;
        } catch (ExecutionException e) {
            node.close();
            return exitCode(e.getCause());
        }
    }

    private static int exitCode(Throwable refusal) {
        if (refusal instanceof ConfigException) {
            return BAD_CONFIGURATION;
        }
        return refusal instanceof NodeIdInUseException ? FAILED : UNDECIDED;
    }

    /**
     * Handles SIGTERM and SIGINT: the first one drains the node, a second one ends the drain. A shutdown hook runs only
     * once and could not react to a second signal. The signals are therefore handled directly, through an unofficial API of
     * the JDK that the compiler allows only by reflection.
     */
    private static final class TerminationSignals {
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
}
