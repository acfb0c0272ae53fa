package io.twinbell.node.handler;

import com.codahale.metrics.MetricRegistry;
import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.handler.PluginTasks;
import io.twinbell.handler.ScopedInterceptor;
import io.twinbell.handler.TaskHandler;
import io.twinbell.node.engine.handler.HandlerCall;
import io.twinbell.node.engine.handler.HandlerOutcome;
import io.twinbell.node.engine.handler.HandlerRunner;
import io.twinbell.node.engine.handler.RunLog;
import io.twinbell.node.engine.task.HandlerDefinition;
import io.twinbell.node.handler.config.HandlerConfig;
import io.twinbell.node.handler.http.CallbackUrls;
import io.twinbell.node.handler.http.HttpCaller;
import io.twinbell.node.handler.jvm.JavaHandlers;
import io.twinbell.node.handler.jvm.JavaRunner;
import io.twinbell.node.handler.jvm.Plugins;
import io.twinbell.node.handler.secret.Secrets;
import io.twinbell.node.handler.shell.OutputMask;
import io.twinbell.node.handler.shell.ShellRunner;
import io.twinbell.node.handler.store.CompletingTransactions;
import io.twinbell.node.handler.transaction.SqlRunner;
import io.twinbell.node.handler.transaction.TransactionRunner;
import io.twinbell.node.json.FieldError;
import io.twinbell.node.task.definition.AlertCall;
import io.twinbell.node.task.definition.HandlerSpec;
import io.twinbell.node.template.HttpUrl;
import io.twinbell.node.template.TemplateException;
import io.twinbell.persistence.clock.DatabaseClock;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs the handlers of all types. A call that waits for another system holds no thread. */
public final class Handlers implements HandlerRunner, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Handlers.class);
    /** The {@code log} handler writes here. */
    private static final Logger TASK_LOG = LoggerFactory.getLogger("twinbell.task");

    /** The key of a built-in handler that does nothing, for measuring the cost of a run without its work. */
    static final String NOOP = "twinbell.noop";

    private final HandlerConfig settings;
    private final HttpCaller http;
    private final Plugins plugins;
    private final TransactionRunner transactions;
    private final SqlRunner sql;
    private final ShellRunner shell;
    private final JavaRunner java;

    /**
     * @param registered the embedding program's handlers by key
     * @param clock gives the time of signatures
     * @param transactions run on their own {@code handlers.sql.connections} connections
     * @param passwords the node's own passwords, which are masked in the output of commands
     * @throws io.twinbell.node.settings.ConfigException if a plugin cannot be initialised
     */
    public Handlers(
            HandlerConfig settings,
            Map<String, TaskHandler> registered,
            DatabaseClock clock,
            CompletingTransactions transactions,
            List<String> passwords) {
        this.settings = settings;
        JavaHandlers found = new JavaHandlers();
        found.add(NOOP, context -> null, "Twinbell");
        registered.forEach((key, handler) -> found.add(key, handler, JavaHandlers.PROGRAM));
        plugins = new Plugins();
        plugins.load(settings.java().plugins(), found);
        http = new HttpCaller(settings.http(), new Secrets(settings.secrets()), clock);
        this.transactions = new TransactionRunner(transactions, settings.sql().connections());
        sql = new SqlRunner(settings.sql(), this.transactions);
        List<String> confidential = new ArrayList<>(passwords);
        settings.secrets().values().forEach(secret -> confidential.add(secret.value()));
        shell = new ShellRunner(settings.shell(), new OutputMask(confidential));
        java = new JavaRunner(
                found,
                this.transactions::start,
                transactions.checkpoints(),
                new CallbackUrls(settings.http().callbackUrls()));
    }

    @Override
    public CompletionStage<HandlerOutcome> start(HandlerCall call) throws Exception {
        call.enterLogContext();
        try {
            return startBySpec(call);
        } finally {
            RunLog.leave();
        }
    }

    /** Exports for each http profile how long its client certificate is valid. */
    public void registerGauges(MetricRegistry registry) {
        http.profiles()
                .forEach(name -> registry.gauge(
                        "http_profile_certificate_expiry_seconds." + name, () -> () -> http.certificateSeconds(name)));
    }

    /** The interceptors of the plugins, in their order. */
    public List<ScopedInterceptor> pluginInterceptors() {
        return plugins.interceptors();
    }

    /**
     * Starts the plugins. A further call continues after a database outage.
     *
     * @throws io.twinbell.node.settings.ConfigException if a plugin fails or takes too long
     */
    public void startPlugins(PluginTasks tasks) {
        plugins.start(tasks);
    }

    @Override
    public String lacks(HandlerDefinition spec) {
        return spec instanceof HandlerSpec.JavaCode code && !java.offers(code.key()) ? code.key() : null;
    }

    @Override
    public Duration waitForMissing() {
        return settings.java().missing();
    }

    /** Returns the keys of the java handlers that this node has. */
    public Set<String> javaKeys() {
        return java.keys();
    }

    /** Returns the names of this node's profiles of http calls. */
    public Set<String> httpProfiles() {
        return http.profiles();
    }

    /** Registers code of the embedding program while the node runs, in place of other code under this key. */
    public void register(String key, TaskHandler code) {
        java.register(key, code);
    }

    public void withdraw(String key) {
        java.withdraw(key);
    }

    private CompletionStage<HandlerOutcome> startBySpec(HandlerCall call) throws Exception {
        HandlerDefinition spec = call.spec();
        if (spec instanceof HandlerSpec.HttpCall request) {
            return http.start(call, request);
        }
        if (spec instanceof HandlerSpec.JavaCode code) {
            return java.start(call, code);
        }
        if (spec instanceof HandlerSpec.Shell command) {
            return shell.start(call, command);
        }
        if (spec instanceof HandlerSpec.Sql statements) {
            return sql.start(call, statements);
        }
        return CompletableFuture.completedFuture(write(call, (HandlerSpec.LogLine) spec));
    }

    private static HandlerOutcome write(HandlerCall call, HandlerSpec.LogLine line) {
        TASK_LOG.info(
                "{}/{} {} attempt {}: {}",
                call.app(),
                call.name(),
                call.slot().fireTime(),
                call.attempt(),
                line.message());
        return HandlerOutcome.succeeded(line.message());
    }

    /** Calls the webhook of an alert; cancelling the future ends the call early. */
    public CompletableFuture<HandlerOutcome> call(AlertCall call) {
        return http.start(call);
    }

    /** Returns why no task of this handler type can run on this node; empty if it can. */
    public Optional<String> refusal(String type) {
        return switch (type) {
            case "sql" -> settings.sql().isEnabled() ? Optional.empty() : Optional.of(SqlRunner.OFF);
            case "shell" -> shell.refusal();
            default -> Optional.empty();
        };
    }

    /**
     * Returns the errors of a call on this node: a blocked port, or a secret that is not for this app or receiver.
     *
     * @param app null for the webhook of an alert
     * @param call the JSON of an http handler or a webhook
     */
    public List<FieldError> refusals(String app, JsonNode call) {
        return http.refusals(app, call);
    }

    /** Calls this node itself, so that a new master's first call does not have to load the HTTP client. */
    public void warmUp(URI node) {
        try {
            http.warmUp(HttpUrl.parse(node.resolve("/health/live").toString()));
        } catch (TemplateException e) {
            LOG.debug("{} cannot be called to warm up", node, e);
        }
    }

    @Override
    public void close() {
        http.close();
        shell.close();
        transactions.close();
        plugins.close();
    }
}
