package io.twinbell.node.handler.jvm;

import java.util.ArrayList;
import java.util.List;

/** Orders plugins so that each comes after those that it requires. A pure function. */
final class PluginOrder {
    private final List<LoadedPlugin> plugins;
    private final List<LoadedPlugin> ordered = new ArrayList<>();
    /** The plugins that are being placed: each requires the next one. */
    private final List<LoadedPlugin> path = new ArrayList<>();

    private PluginOrder(List<LoadedPlugin> plugins) {
        this.plugins = plugins;
    }

    /**
     * Returns the plugins in the given order, except that those which a plugin requires come before it.
     *
     * @throws IllegalArgumentException if plugins require each other, or if no plugin or several have a required name
     */
    static List<LoadedPlugin> of(List<LoadedPlugin> plugins) {
        PluginOrder order = new PluginOrder(plugins);
        plugins.forEach(order::place);
        return order.ordered;
    }

    private void place(LoadedPlugin plugin) {
        if (ordered.contains(plugin)) {
            return;
        }
        int since = path.indexOf(plugin);
        if (since >= 0) {
            StringBuilder circle = new StringBuilder("plugins require each other: ");
            path.subList(since, path.size())
                    .forEach(other -> circle.append(other).append(" requires "));
            throw new IllegalArgumentException(circle.append(plugin).toString());
        }
        path.add(plugin);
        plugin.requires().stream().sorted().forEach(name -> place(find(name, plugin)));
        path.remove(path.size() - 1);
        ordered.add(plugin);
    }

    private LoadedPlugin find(String name, LoadedPlugin requirer) {
        List<LoadedPlugin> found =
                plugins.stream().filter(plugin -> plugin.name().equals(name)).toList();
        if (found.size() != 1) {
            throw new IllegalArgumentException("plugin " + requirer + " requires " + name + ", but "
                    + (found.isEmpty() ? "no loaded plugin has this name" : "several have this name: " + found));
        }
        return found.get(0);
    }
}
