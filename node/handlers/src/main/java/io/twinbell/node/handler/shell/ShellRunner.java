package io.twinbell.node.handler.shell;

import io.twinbell.node.engine.handler.ErrorCodes;
import io.twinbell.node.engine.handler.HandlerCall;
import io.twinbell.node.engine.handler.HandlerOutcome;
import io.twinbell.node.handler.config.HandlerConfig;
import io.twinbell.node.task.definition.HandlerSpec;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The {@code shell} handler: runs each command on a thread of its own, up to the configured number of commands at
 * once.
 */
public final class ShellRunner implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ShellRunner.class);
    static final String OFF =
            "shell tasks are disabled on this node: set handlers.shell.enabled to true in its configuration";
    private static final Duration GRACE = Duration.ofSeconds(5);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(10);
    private static final Duration GRACE_AT_STOP = Duration.ofSeconds(2);
    private static final int KEPT_BYTES = 8192;
    private static final int KEEP_SECONDS = 30;
    /**
     * How many ended commands may still have an open output. Each of them has a thread that waits for the end of its
     * output.
     */
    private static final int ABANDONED_OUTPUTS = 100;

    private static final String TOO_MANY_OUTPUTS = "not started: processes that earlier commands left running keep "
            + ABANDONED_OUTPUTS + " outputs open; end these processes";
    private static final String MARK = "TWINBELL_RUN";

    /** The only variables of the node's environment that a command gets; the others may hold secrets. */
    private static final List<String> INHERITED =
            List.of("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR");

    /** The variables that a command of another user gets too; the others describe the node's own user. */
    private static final List<String> SHARED = List.of("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ");

    private final HandlerConfig.ShellHandler settings;
    private final OutputMask mask;
    private final CommandUser user;
    private final Duration grace;
    private final ThreadPoolExecutor threads;
    private final ThreadPoolExecutor readers;
    private final Semaphore openOutputs;
    private final ScheduledThreadPoolExecutor killer;
    private final Set<ProcessTree> running = ConcurrentHashMap.newKeySet();
    private volatile boolean isClosed;

    /** @param mask masks confidential values in outputs */
    public ShellRunner(HandlerConfig.ShellHandler settings, OutputMask mask) {
        this(settings, mask, GRACE, daemons("shell-output-"));
    }

    /**
     * @param grace how long the processes of a cancelled command may take to end, and the output of an ended command
     * @param outputThreads creates the threads that read the outputs
     */
    ShellRunner(HandlerConfig.ShellHandler settings, OutputMask mask, Duration grace, ThreadFactory outputThreads) {
        this.settings = settings;
        this.mask = mask;
        this.grace = grace;
        user = settings.isEnabled() && settings.user() != null ? CommandUser.of(settings.user()) : null;
        warn();
        // The number of waiting commands is bounded where slots are claimed.
        threads = new ThreadPoolExecutor(
                settings.processes(),
                settings.processes(),
                KEEP_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                daemons("shell-"));
        threads.allowCoreThreadTimeOut(true);
        openOutputs = new Semaphore(settings.processes() + ABANDONED_OUTPUTS);
        readers = new ThreadPoolExecutor(
                0, Integer.MAX_VALUE, KEEP_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(), outputThreads);
        killer = new ScheduledThreadPoolExecutor(1, work -> daemon(work, "shell-kill"));
    }

    private void warn() {
        if (user != null) {
            user.problem().ifPresent(problem -> LOG.error("{}", problem));
        } else if (settings.isEnabled()) {
            LOG.warn("commands of shell tasks run as the node's own user and can read its configuration with all"
                    + " passwords; set handlers.shell.user to run them as another user");
        }
    }

    /** Returns why no command can run on this node; empty if commands can run. */
    public Optional<String> refusal() {
        if (!settings.isEnabled()) {
            return Optional.of(OFF);
        }
        return user == null ? Optional.empty() : user.problem();
    }

    private static ThreadFactory daemons(String prefix) {
        AtomicInteger number = new AtomicInteger();
        return work -> daemon(work, prefix + number.incrementAndGet());
    }

    private static Thread daemon(Runnable work, String name) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        return thread;
    }

    /** Starts the command; cancelling the returned future ends it and all processes that it started. */
    public CompletionStage<HandlerOutcome> start(HandlerCall call, HandlerSpec.Shell spec) {
        Optional<String> refusal = refusal();
        if (refusal.isPresent()) {
            return CompletableFuture.completedFuture(HandlerOutcome.failed(ErrorCodes.REFUSED, refusal.get(), null));
        }
        CompletableFuture<HandlerOutcome> outcome = new CompletableFuture<>();
        threads.execute(call.withLogContext(() -> run(call, spec, outcome)));
        return outcome;
    }

    private void run(HandlerCall call, HandlerSpec.Shell spec, CompletableFuture<HandlerOutcome> outcome) {
        if (outcome.isDone() || isClosed) {
            outcome.cancel(false);
            return;
        }
        if (!openOutputs.tryAcquire()) {
            outcome.complete(HandlerOutcome.failed(ErrorCodes.NOT_STARTED, TOO_MANY_OUTPUTS, null));
            return;
        }
        String run = UUID.randomUUID().toString();
        Process process;
        try {
            process = start(call, spec, run);
        } catch (IOException e) {
            openOutputs.release();
            outcome.complete(HandlerOutcome.failed(ErrorCodes.NOT_STARTED, "not started: " + e.getMessage(), null));
            return;
        } catch (Throwable e) {
            openOutputs.release();
            outcome.completeExceptionally(e);
            return;
        }
        ProcessTree tree = new ProcessTree(process, MARK + "=" + run, user);
        try {
            running.add(tree);
            ProgramOutput printed = read(process);
            outcome.whenComplete((done, thrown) -> {
                if (outcome.isCancelled()) {
                    killer.execute(() -> end(tree));
                }
            });
            if (isClosed) {
                tree.kill();
            }
            outcome.complete(await(process, printed, tree, spec));
        } catch (Throwable e) {
            // Also an Error, such as a thread that cannot be created: nobody else would end the command.
            try {
                tree.kill();
            } finally {
                outcome.completeExceptionally(e);
            }
        } finally {
            running.remove(tree);
        }
    }

    private Process start(HandlerCall call, HandlerSpec.Shell spec, String run) throws IOException {
        if (user != null) {
            Map<String, String> environment = new HashMap<>(System.getenv());
            environment.keySet().retainAll(SHARED);
            addOwn(environment, call, spec, run);
            return startAsUser(
                    user.commandLine(MARK + "=" + run, spec.command()),
                    user.preparation(environment, spec.workingDirectory()));
        }
        ProcessBuilder builder = new ProcessBuilder(spec.command()).redirectErrorStream(true);
        if (spec.workingDirectory() != null) {
            builder.directory(new File(spec.workingDirectory()));
        }
        builder.environment().keySet().retainAll(INHERITED);
        addOwn(builder.environment(), call, spec, run);
        Process process = builder.start();
        process.getOutputStream().close();
        return process;
    }

    private static Process startAsUser(List<String> command, byte[] preparation) throws IOException {
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).directory(new File("/"));
        builder.environment().clear();
        Process process = builder.start();
        try (OutputStream input = process.getOutputStream()) {
            input.write(preparation);
        } catch (IOException e) {
            // The command ended before it read this; its output and exit code give the reason.
            LOG.debug("a command ended before it read its setup from standard input", e);
        }
        return process;
    }

    private static void addOwn(Map<String, String> environment, HandlerCall call, HandlerSpec.Shell spec, String run) {
        environment.putAll(spec.environment());
        environment.put(MARK, run);
        environment.put("TWINBELL_SLOT", call.slot().idempotencyKey());
        environment.put("TWINBELL_TASK", Long.toString(call.slot().taskId()));
        environment.put("TWINBELL_FIRE_TIME", call.slot().fireTime());
        environment.put("TWINBELL_ATTEMPT", Integer.toString(call.attempt()));
        environment.put("TWINBELL_EPOCH", Long.toString(call.epoch().number()));
        environment.put("TWINBELL_APP", call.app());
        environment.put("TWINBELL_NAME", call.name());
        if (call.data() != null) {
            environment.put("TWINBELL_DATA", call.data());
        }
    }

    /** Starts to read the output. Releases the permit of the output at its end, or if it cannot be read. */
    private ProgramOutput read(Process process) {
        try {
            ProgramOutput printed = new ProgramOutput(process.getInputStream(), KEPT_BYTES + mask.longest());
            readers.execute(() -> {
                try {
                    printed.read();
                } finally {
                    openOutputs.release();
                }
            });
            return printed;
        } catch (Throwable e) {
            openOutputs.release();
            throw e;
        }
    }

    /** Also ends the processes that the command leaves running: they would hold the output open unnoticed. */
    private HandlerOutcome await(Process process, ProgramOutput printed, ProcessTree tree, HandlerSpec.Shell spec)
            throws IOException {
        printed.end().exceptionally(unreadable -> {
            tree.kill();
            return null;
        });
        process.onExit().thenRun(tree::kill).thenRun(() -> killUntil(printed.end(), tree, FIRST_PAUSE));
        int code = process.onExit().join().exitValue();
        printed.awaitEnd(grace);
        String output = printed.text(KEPT_BYTES, mask);
        return spec.successCodes().contains(code)
                ? HandlerOutcome.succeeded(output)
                : HandlerOutcome.failed(ErrorCodes.ofExit(code), "the command ended with exit code " + code, output);
    }

    /** Kills repeatedly: an output that stays open belongs to a process that was not found yet. */
    private void killUntil(CompletableFuture<Void> isRead, ProcessTree tree, Duration delay) {
        if (isRead.isDone() || isClosed) {
            return;
        }
        tree.kill();
        Duration next = delay.compareTo(grace) < 0 ? delay.multipliedBy(2) : delay;
        killer.schedule(() -> killUntil(isRead, tree, next), delay.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void end(ProcessTree tree) {
        tree.askToEnd();
        killer.schedule(tree::kill, grace.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Ends every command and all processes that it started. */
    @Override
    public void close() {
        isClosed = true;
        running.forEach(ProcessTree::askToEnd);
        threads.shutdown();
        try {
            if (!running.isEmpty() && !threads.awaitTermination(GRACE_AT_STOP.toMillis(), TimeUnit.MILLISECONDS)) {
                running.forEach(ProcessTree::kill);
            }
        } catch (InterruptedException e) {
            running.forEach(ProcessTree::kill);
            Thread.currentThread().interrupt();
        }
        threads.shutdownNow();
        readers.shutdownNow();
        killer.shutdownNow();
    }
}
