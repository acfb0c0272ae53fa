package io.twinbell.ha.latch;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.apache.curator.framework.recipes.cache.ChildData;
import org.apache.curator.framework.recipes.cache.CuratorCacheStorage;

/**
 * A bounded cache of the nodes' ZooKeeper entries. It keeps a limited number of direct children of the entries' folder,
 * and no content longer than a node writes.
 */
final class BoundedEntries implements CuratorCacheStorage {
    private static final int LIMIT = 500;

    private final String prefix;
    private final Map<String, ChildData> entries = new ConcurrentHashMap<>();

    /** @param folder the folder whose children are kept */
    BoundedEntries(String folder) {
        prefix = folder + "/";
    }

    @Override
    public Optional<ChildData> put(ChildData child) {
        String path = child.getPath();
        boolean isEntry = path.startsWith(prefix) && path.indexOf('/', prefix.length()) < 0;
        if (!isEntry || entries.size() >= LIMIT && !entries.containsKey(path)) {
            return Optional.empty();
        }
        byte[] data = child.getData();
        boolean isTooLong = data != null && data.length > NodeEntry.MAX_BYTES;
        return Optional.ofNullable(entries.put(path, isTooLong ? new ChildData(path, child.getStat(), null) : child));
    }

    @Override
    public Optional<ChildData> remove(String path) {
        return Optional.ofNullable(entries.remove(path));
    }

    @Override
    public Optional<ChildData> get(String path) {
        return Optional.ofNullable(entries.get(path));
    }

    @Override
    public int size() {
        return entries.size();
    }

    @Override
    public Stream<ChildData> stream() {
        return entries.values().stream();
    }

    @Override
    public void clear() {
        entries.clear();
    }
}
