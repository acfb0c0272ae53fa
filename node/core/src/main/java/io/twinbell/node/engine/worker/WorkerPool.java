package io.twinbell.node.engine.worker;

import io.twinbell.node.engine.run.Run;
import io.twinbell.node.engine.run.RunQueue;
import io.twinbell.node.engine.trigger.SystemTasks;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.ledger.Attempt;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs handlers on a fixed number of worker threads, and system tasks on one more thread. A thread that a handler does
 * not return is abandoned and replaced.
 */
public final class WorkerPool implements Workers {
    private static final Logger LOG = LoggerFactory.getLogger(WorkerPool.class);

    /** The largest number of abandoned threads in a pool with fewer workers than this. */
    private static final int LEAST_ABANDONED = 16;

    private final int size;
    private final RunQueue queue;
    private final BlockingQueue<Long> systemQueue = new ArrayBlockingQueue<>((int) -SystemTasks.LOWEST_ID);
    private final List<Worker> workers = new ArrayList<>();
    private final List<Thread> abandoned = new ArrayList<>();
    private Thread systemWorker;
    private int started;
    private volatile boolean stopping;

    /**
     * @param size threads for user tasks, besides the one for system tasks
     * @param ticker measures when a worker's share of a burst is taken back
     */
    public WorkerPool(int size, Ticker ticker) {
        this.size = size;
        queue = new RunQueue(size, ticker);
    }

    @Override
    public synchronized void start(Supplier<Consumer<Run>> perform, LongConsumer performSystem) {
        systemWorker = new Thread(() -> workForSystem(performSystem), "worker-system");
        systemWorker.setDaemon(true);
        systemWorker.start();
        for (int i = 0; i < size; i++) {
            startWorker(perform);
        }
    }

    private void startWorker(Supplier<Consumer<Run>> perform) {
        Worker worker = new Worker("worker-" + ++started, perform);
        workers.add(worker);
        worker.start();
    }

    @Override
    public void run(List<Run> runs) {
        queue.addAll(runs);
    }

    @Override
    public void prepare(List<Run> runs) {
        queue.prepare(runs);
    }

    @Override
    public void runPrepared() {
        queue.addPrepared();
    }

    /** Removes handed-back runs from the queue. Busy workers would take them too late to make room. */
    @Override
    public void forgetHandedBack() {
        queue.forgetHandedBack();
    }

    /**
     * Does nothing if the task waits already: its run will see the reason for this request too. So the queue never
     * exceeds the number of tasks.
     */
    @Override
    public void system(long systemTaskId) {
        if (!systemQueue.contains(systemTaskId)) {
            systemQueue.add(systemTaskId);
        }
    }

    /**
     * If the maximum number of threads is abandoned already, the pool goes without this worker until its handler ends.
     */
    @Override
    public synchronized boolean replaceWorkerOf(Run run) {
        for (Worker worker : workers) {
            if (worker.current == run && !stopping) {
                return replace(worker, run.attempt());
            }
        }
        return true;
    }

    private boolean replace(Worker worker, Attempt attempt) {
        abandoned.removeIf(thread -> !thread.isAlive());
        if (abandoned.size() >= Math.max(size, LEAST_ABANDONED)) {
            LOG.error(
                    "{} cannot be replaced although the handler of {}/{} does not return: {} threads are already"
                            + " abandoned",
                    worker.getName(),
                    attempt.app(),
                    attempt.name(),
                    abandoned.size());
            return false;
        }
        LOG.warn(
                "{} is abandoned and replaced because the handler of {}/{} does not return",
                worker.getName(),
                attempt.app(),
                attempt.name());
        worker.abandoned = true;
        worker.taker.leave();
        workers.remove(worker);
        abandoned.add(worker);
        startWorker(worker.perform);
        return true;
    }

    @Override
    public synchronized int abandoned() {
        abandoned.removeIf(thread -> !thread.isAlive());
        return abandoned.size();
    }

    @Override
    public int size() {
        return size;
    }

    @Override
    public synchronized int active() {
        return (int) workers.stream().filter(worker -> worker.current != null).count();
    }

    @Override
    public int queued() {
        return queue.size();
    }

    @Override
    public void stop() {
        stopping = true;
        List<Thread> ending;
        synchronized (this) {
            ending = new ArrayList<>(workers);
            if (systemWorker != null) {
                ending.add(systemWorker);
            }
        }
        ending.forEach(Thread::interrupt);
        ending.forEach(WorkerPool::joinBriefly);
    }

    private static void joinBriefly(Thread thread) {
        try {
            thread.join(1000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void workForSystem(LongConsumer performSystem) {
        while (!stopping) {
            try {
                performSystem.accept(systemQueue.take());
            } catch (InterruptedException e) {
                LOG.debug("the system worker was interrupted");
            } catch (Throwable e) {
                LOG.error("a system task failed", e);
            }
        }
    }

    /** Performs one run after another until the pool stops or the worker is abandoned. */
    private final class Worker extends Thread {
        private final Supplier<Consumer<Run>> perform;
        private final Consumer<Run> ownPerform;
        private final RunQueue.Taker taker = queue.taker();
        private volatile Run current;
        private volatile boolean abandoned;

        Worker(String name, Supplier<Consumer<Run>> perform) {
            super(name);
            this.perform = perform;
            ownPerform = perform.get();
            setDaemon(true);
        }

        @Override
        public void run() {
            while (!stopping && !abandoned) {
                try {
                    current = taker.take();
                    ownPerform.accept(current);
                } catch (InterruptedException e) {
                    LOG.debug("{} was interrupted while idle", getName());
                } catch (Throwable e) {
                    LOG.error("a run failed in its worker", e);
                } finally {
                    current = null;
                    Thread.interrupted();
                }
            }
        }
    }
}
