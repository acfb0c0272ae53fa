package io.twinbell.node.handler.jvm;

import io.twinbell.handler.HandlerPlugin;
import io.twinbell.handler.ScopedInterceptor;
import io.twinbell.handler.TaskHandler;
import io.twinbell.node.config.TrustedFiles;
import io.twinbell.ops.text.SmallFile;
import io.twinbell.schedule.ScheduleType;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.ServiceLoader;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Loads the handlers from the jars of a directory, each jar in its own class loader. A faulty jar does not affect the
 * others.
 */
public final class Plugins implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Plugins.class);

    private final List<PluginLoader> loaders = new ArrayList<>();
    private final List<ScopedInterceptor> interceptors = new ArrayList<>();
    private final List<ScheduleType> scheduleTypes = new ArrayList<>();

    /**
     * Reads the directory, if it exists, and adds the handlers of its jars. A directory or jar that another user can
     * write is left out, because that user could run code as the node.
     *
     * @param directory null for none
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
        for (Path jar : jars(directory, handlers)) {
            if (isChangeable(jar, handlers)) {
                continue;
            }
            try {
                Map<String, TaskHandler> found = read(jar);
                found.forEach((key, handler) -> handlers.add(key, handler, jar.toString()));
                LOG.info("{} has handlers for the keys {}", jar, found.keySet());
            } catch (IOException | RuntimeException | Error e) {
                LOG.error("{} was not loaded, so its handlers are missing: {}", jar, e.toString());
                handlers.leftOut(jar + ": " + e);
                LOG.debug("not loaded", e);
            }
        }
    }

    /** The interceptors of all jars, by the name of the jar. */
    public List<ScopedInterceptor> interceptors() {
        return List.copyOf(interceptors);
    }

    /** The schedule types of all jars, by the name of the jar. */
    public List<ScheduleType> scheduleTypes() {
        return List.copyOf(scheduleTypes);
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

    private Map<String, TaskHandler> read(Path jar) throws IOException {
        SmallFile.check(jar);
        PluginLoader loader =
                new PluginLoader(jar.getFileName().toString(), jar.toUri().toURL());
        try {
            Map<String, TaskHandler> found = new HashMap<>();
            List<ScopedInterceptor> around = new ArrayList<>();
            List<ScheduleType> types = new ArrayList<>();
            int plugins = 0;
            for (HandlerPlugin plugin : ServiceLoader.load(HandlerPlugin.class, loader)) {
                plugins++;
                plugin.interceptors().forEach(interceptor -> around.add(Objects.requireNonNull(interceptor)));
                plugin.scheduleTypes().forEach(type -> types.add(Objects.requireNonNull(type)));
                plugin.handlers().forEach((key, handler) -> {
                    if (key == null || handler == null) {
                        throw new IllegalStateException("it has a key or a handler that is null");
                    }
                    if (found.putIfAbsent(key, handler) != null) {
                        throw new IllegalStateException("it has two handlers under the key \"" + key + "\"");
                    }
                });
            }
            if (plugins == 0) {
                throw new IllegalStateException(
                        "it is not a jar, or has no META-INF/services/" + HandlerPlugin.class.getName());
            }
            loaders.add(loader);
            interceptors.addAll(around);
            scheduleTypes.addAll(types);
            return found;
        } catch (RuntimeException | Error e) {
            loader.close();
            throw e;
        }
    }

    @Override
    public void close() {
        for (PluginLoader loader : loaders) {
            try {
                loader.close();
            } catch (IOException e) {
                LOG.debug("closing {} failed", loader.getName(), e);
            }
        }
    }
}
