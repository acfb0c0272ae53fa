package io.twinbell.node.handler.jvm;

import io.twinbell.handler.HandlerPlugin;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Set;

/**
 * A plugin and the jar that it comes from.
 *
 * @param loader closed when the plugin has stopped
 */
record LoadedPlugin(String name, Set<String> requires, HandlerPlugin plugin, Path jar, PluginLoader loader) {
    @Override
    public String toString() {
        return name + " (" + jar.getFileName() + ")";
    }

    /**
     * Loads the classes of one plugin jar. The jar sees the API of handlers, SLF4J and the JDK, and nothing of the node.
     */
    static final class PluginLoader extends URLClassLoader {
        PluginLoader(String name, URL jar) {
            super(name, new URL[] {jar}, new Api());
        }

        private static final class Api extends ClassLoader {
            private static final String HANDLERS = HandlerPlugin.class.getPackageName() + ".";

            Api() {
                super(ClassLoader.getPlatformClassLoader());
            }

            @Override
            protected Class<?> findClass(String name) throws ClassNotFoundException {
                if (name.startsWith(HANDLERS) || name.startsWith("org.slf4j.")) {
                    return HandlerPlugin.class.getClassLoader().loadClass(name);
                }
                throw new ClassNotFoundException(name);
            }
        }
    }
}
