package io.twinbell.node.handler.jvm;

import io.twinbell.handler.HandlerPlugin;
import io.twinbell.handler.PluginTasks;
import io.twinbell.node.settings.ConfigException;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Initialises, starts and stops plugins. Each call runs on a thread of its own, for a bounded time. */
final class PluginLifecycle {
    private static final Logger LOG = LoggerFactory.getLogger(PluginLifecycle.class);

    private final Duration startBound;
    private final Duration stopBound;
    private final List<LoadedPlugin> initialised = new ArrayList<>();
    private int started;

    /** A call of a plugin. */
    @FunctionalInterface
    private interface Phase {
        void call(HandlerPlugin plugin) throws Exception;
    }

    /**
     * @param startBound the longest time of one call of onInit or onStart
     * @param stopBound the longest time of one call of onStop
     */
    PluginLifecycle(Duration startBound, Duration stopBound) {
        this.startBound = startBound;
        this.stopBound = stopBound;
    }

    /**
     * Initialises the plugins in this order. After a failure, {@link #stop} stops those that were called, also the one
     * that failed.
     *
     * @throws ConfigException if a plugin fails or takes too long
     */
    synchronized void init(List<LoadedPlugin> ordered) {
        for (LoadedPlugin plugin : ordered) {
            initialised.add(plugin);
            call("onInit", startBound, plugin, HandlerPlugin::onInit);
        }
    }

    /**
     * Starts the plugins in the order in which they were initialised. A further call continues with the one whose start
     * failed.
     *
     * @throws ConfigException if a plugin fails or takes too long
     * @throws DatabaseUnavailableException if a plugin needed the database, which did not answer
     */
    synchronized void start(PluginTasks tasks) {
        while (started < initialised.size()) {
            call("onStart", startBound, initialised.get(started), plugin -> plugin.onStart(tasks));
            started++;
        }
    }

    /** Stops the plugins in reverse order. */
    synchronized void stop() {
        Collections.reverse(initialised);
        for (LoadedPlugin plugin : initialised) {
            try {
                call("onStop", stopBound, plugin, HandlerPlugin::onStop);
            } catch (ConfigException | DatabaseUnavailableException e) {
                LOG.warn("{}", e.getMessage());
            }
        }
        initialised.clear();
        started = 0;
    }

    private static void call(String name, Duration bound, LoadedPlugin loaded, Phase phase) {
        FutureTask<Void> call = new FutureTask<>(() -> {
            phase.call(loaded.plugin());
            return null;
        });
        Thread thread = new Thread(call, "plugin-" + loaded.name());
        thread.setDaemon(true);
        thread.setContextClassLoader(loaded.loader());
        thread.start();
        try {
            call.get(bound.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            call.cancel(true);
            throw failure(loaded, "did not return from " + name + " within " + bound);
        } catch (ExecutionException e) {
            LOG.debug("plugin {} failed in {}", loaded, name, e.getCause());
            for (Throwable cause = e.getCause(); cause != null; cause = cause.getCause()) {
                if (cause instanceof DatabaseUnavailableException unavailable) {
                    throw unavailable;
                }
            }
            throw failure(loaded, "failed in " + name + ": " + e.getCause());
        } catch (InterruptedException e) {
            call.cancel(true);
            Thread.currentThread().interrupt();
            throw failure(loaded, "was interrupted in " + name);
        }
    }

    private static ConfigException failure(LoadedPlugin plugin, String what) {
        return new ConfigException(List.of("plugin " + plugin + " " + what));
    }
}
