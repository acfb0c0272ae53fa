package io.twinbell.node.handler.jvm;

import io.twinbell.handler.HandlerPlugin;
import io.twinbell.handler.PluginTasks;
import io.twinbell.handler.ScopedInterceptor;
import io.twinbell.handler.TaskHandler;
import io.twinbell.node.settings.ConfigException;
import io.twinbell.node.settings.SmallFile;
import io.twinbell.node.settings.TrustedFiles;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Loads the plugins from the jars of a directory, each jar in its own class loader. A jar that cannot be loaded does not
 * affect the others. A plugin that cannot be initialised or started stops the node.
 */
public final class Plugins implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Plugins.class);

    private final List<LoadedPlugin.PluginLoader> loaders = new ArrayList<>();
    private final List<ScopedInterceptor> interceptors = new ArrayList<>();
    /** The start may read files and caches; the stop must end before systemd and Docker kill the node. */
    private final PluginLifecycle lifecycle = new PluginLifecycle(Duration.ofMinutes(1), Duration.ofSeconds(5));

    /**
     * Reads the directory, if it exists, initialises the plugins of its jars, and adds their handlers. A directory or jar
     * that another user can write is left out, because that user could run code as the node.
     *
     * @param directory null for none
     * @throws ConfigException if a plugin cannot be initialised
     */
    public void load(Path directory, JavaHandlers handlers) {
        if (directory == null) {
            return;
        }
        if (!Files.isDirectory(directory)) {
            boolean isThere = Files.exists(directory, LinkOption.NOFOLLOW_LINKS);
            leaveOut(directory, isThere ? "it is not a directory" : "there is no such directory", handlers);
            return;
        }
        if (isChangeable(directory, handlers)) {
            return;
        }
        List<LoadedPlugin> found = new ArrayList<>();
        for (Path jar : jars(directory, handlers)) {
            if (!isChangeable(jar, handlers)) {
                try {
                    found.addAll(read(jar));
                } catch (IOException | RuntimeException | Error e) {
                    leaveOut(jar, e, handlers);
                }
            }
        }
        try {
            List<LoadedPlugin> ordered = PluginOrder.of(found);
            lifecycle.init(ordered);
            ordered.stream().map(LoadedPlugin::jar).distinct().forEach(jar -> addCode(jar, ordered, handlers));
        } catch (IllegalArgumentException e) {
            close();
            throw new ConfigException(List.of(e.getMessage()));
        } catch (ConfigException e) {
            close();
            throw e;
        }
    }

    private void addCode(Path jar, List<LoadedPlugin> all, JavaHandlers handlers) {
        try {
            Map<String, TaskHandler> code =
                    read(all.stream().filter(plugin -> plugin.jar().equals(jar)).toList());
            code.forEach((key, handler) -> handlers.add(key, handler, jar.toString()));
            LOG.info("{} has handlers for the keys {}", jar, code.keySet());
        } catch (RuntimeException | Error e) {
            leaveOut(jar, e, handlers);
        }
    }

    /**
     * Starts the plugins. A further call continues after a database outage.
     *
     * @throws ConfigException if a plugin fails or takes too long
     */
    public void start(PluginTasks tasks) {
        lifecycle.start(tasks);
    }

    /** The interceptors of all jars, by the name of the jar. */
    public List<ScopedInterceptor> interceptors() {
        return List.copyOf(interceptors);
    }

    private static boolean isChangeable(Path path, JavaHandlers handlers) {
        Optional<String> problem;
        try {
            problem = TrustedFiles.changeable(path);
        } catch (IOException e) {
            problem = Optional.of("its permissions can't be read: " + e);
        }
        problem.ifPresent(reason -> leaveOut(path, reason, handlers));
        return problem.isPresent();
    }

    private static void leaveOut(Path jar, Throwable because, JavaHandlers handlers) {
        leaveOut(jar, because.toString(), handlers);
        LOG.debug("not loaded", because);
    }

    private static void leaveOut(Path path, String reason, JavaHandlers handlers) {
        LOG.error("{} was not loaded, so its handlers are missing: {}", path, reason);
        handlers.leftOut(path + ": " + reason);
    }

    private static List<Path> jars(Path directory, JavaHandlers handlers) {
        List<Path> jars = new ArrayList<>();
        try (DirectoryStream<Path> found = Files.newDirectoryStream(directory, "*.jar")) {
            found.forEach(jars::add);
        } catch (IOException e) {
            leaveOut(directory, "it can't be read: " + e, handlers);
        }
        Collections.sort(jars);
        return jars;
    }

    private List<LoadedPlugin> read(Path jar) throws IOException {
        SmallFile.check(jar);
        LoadedPlugin.PluginLoader loader = new LoadedPlugin.PluginLoader(
                jar.getFileName().toString(), jar.toUri().toURL());
        try {
            List<LoadedPlugin> found = new ArrayList<>();
            for (HandlerPlugin plugin : ServiceLoader.load(HandlerPlugin.class, loader)) {
                String name = Objects.requireNonNull(plugin.name(), "a plugin has no name");
                found.add(new LoadedPlugin(name, Set.copyOf(plugin.requires()), plugin, jar, loader));
            }
            if (found.isEmpty()) {
                throw new IllegalStateException(
                        "it is not a jar, or has no META-INF/services/" + HandlerPlugin.class.getName());
            }
            loaders.add(loader);
            return found;
        } catch (RuntimeException | Error e) {
            loader.close();
            throw e;
        }
    }

    /** @param ofJar the plugins of one jar; either all of their code is registered, or none */
    private Map<String, TaskHandler> read(List<LoadedPlugin> ofJar) {
        Map<String, TaskHandler> found = new HashMap<>();
        List<ScopedInterceptor> around = new ArrayList<>();
        for (LoadedPlugin loaded : ofJar) {
            HandlerPlugin plugin = loaded.plugin();
            plugin.interceptors().forEach(interceptor -> around.add(Objects.requireNonNull(interceptor)));
            plugin.handlers().forEach((key, handler) -> {
                if (key == null || handler == null) {
                    throw new IllegalStateException("it has a key or a handler that is null");
                }
                if (found.putIfAbsent(key, handler) != null) {
                    throw new IllegalStateException("it has two handlers under the key \"" + key + "\"");
                }
            });
        }
        interceptors.addAll(around);
        return found;
    }

    @Override
    public void close() {
        lifecycle.stop();
        for (LoadedPlugin.PluginLoader loader : loaders) {
            try {
                loader.close();
            } catch (IOException e) {
                LOG.debug("closing {} failed", loader.getName(), e);
            }
        }
    }
}
