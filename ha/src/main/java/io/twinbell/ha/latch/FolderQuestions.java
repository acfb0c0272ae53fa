package io.twinbell.ha.latch;

import java.time.Duration;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.apache.curator.framework.api.BackgroundCallback;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.curator.framework.api.Pathable;
import org.apache.zookeeper.KeeperException;

/**
 * Asks ZooKeeper about many nodes of a folder. Every question is sent before the first answer is awaited, because a
 * foreign client may create thousands of nodes. A node that this client may not read is an answer, not a failure.
 */
final class FolderQuestions {
    private static final Set<KeeperException.Code> ANSWERS =
            Set.of(KeeperException.Code.OK, KeeperException.Code.NONODE, KeeperException.Code.NOAUTH);

    private final String folder;
    private final Duration bound;

    /** @param bound how long all answers to one kind of question may take together */
    FolderQuestions(String folder, Duration bound) {
        this.folder = folder;
        this.bound = bound;
    }

    /**
     * Asks about all names and waits for the answers. Throws if not all answers come in time or one reports a lost
     * connection, because incomplete answers must not be used.
     */
    void ask(
            Collection<String> names,
            Function<BackgroundCallback, Pathable<?>> question,
            BiConsumer<String, CuratorEvent> answer)
            throws Exception {
        CountDownLatch pending = new CountDownLatch(names.size());
        AtomicBoolean isLost = new AtomicBoolean();
        for (String name : names) {
            question.apply((client, event) -> {
                        int code = event.getResultCode();
                        isLost.compareAndSet(false, !ANSWERS.contains(KeeperException.Code.get(code)));
                        answer.accept(name, event);
                        pending.countDown();
                    })
                    .forPath(folder + "/" + name);
        }
        if (!pending.await(bound.toMillis(), TimeUnit.MILLISECONDS) || isLost.get()) {
            throw new TimeoutException("ZooKeeper has not returned the nodes in " + folder + " in time");
        }
    }
}
