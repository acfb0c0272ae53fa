package io.twinbell.node.handler.jvm;

import java.util.ArrayList;
import java.util.List;

/** Orders plugins so that each comes after those that it requires. A pure function. */
final class PluginOrder {
    private final List<LoadedPlugin> plugins;
    private final List<LoadedPlugin> ordered = new ArrayList<>();
    /** The plugins from one that is being placed to the one that it needs now. */
    private final List<LoadedPlugin> path = new ArrayList<>();

    private PluginOrder(List<LoadedPlugin> plugins) {
        this.plugins = plugins;
    }

    /**
     * Returns the plugins in their order, and otherwise in the given one.
     *
     * @throws IllegalArgumentException if plugins need each other, or one that is not there, or one of several with its name
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
            StringBuilder circle = new StringBuilder("plugins need each other: ");
            path.subList(since, path.size())
                    .forEach(other -> circle.append(other).append(" needs "));
            throw new IllegalArgumentException(circle.append(plugin).toString());
        }
        path.add(plugin);
        plugin.requires().stream().sorted().forEach(name -> place(find(name, plugin)));
        path.remove(path.size() - 1);
        ordered.add(plugin);
    }

    private LoadedPlugin find(String name, LoadedPlugin needer) {
        List<LoadedPlugin> found =
                plugins.stream().filter(plugin -> plugin.name().equals(name)).toList();
        if (found.size() != 1) {
            throw new IllegalArgumentException("plugin " + needer + " needs " + name + ", but "
                    + (found.isEmpty() ? "no plugin with this name is loaded" : "several have this name: " + found));
        }
        return found.get(0);
    }
}
