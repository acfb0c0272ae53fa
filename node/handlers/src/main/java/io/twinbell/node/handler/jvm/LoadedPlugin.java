package io.twinbell.node.handler.jvm;

import io.twinbell.handler.HandlerPlugin;
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
}
