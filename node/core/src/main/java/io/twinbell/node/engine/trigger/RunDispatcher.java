package io.twinbell.node.engine.trigger;

import io.twinbell.node.engine.run.Run;
import java.util.List;

/** Receives runs whose fire time has come, and system tasks, from the trigger. The methods must return at once. */
public interface RunDispatcher {
    /** Starts runs. The caller reuses the list afterwards. */
    void run(List<Run> runs);

    /**
     * Queues runs shortly before their fire time. In a burst of thousands, the first run would otherwise wait until all
     * are queued.
     *
     * @param runs as for {@link #run}; they are added to the runs already prepared
     */
    void prepare(List<Run> runs);

    /** Starts the prepared runs. */
    void runPrepared();

    void system(long systemTaskId);
}
