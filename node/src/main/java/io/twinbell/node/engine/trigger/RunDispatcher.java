package io.twinbell.node.engine.trigger;

import io.twinbell.node.engine.run.Run;
import java.util.List;

/** Where the trigger sends runs whose instant has come, and system tasks. Must return at once. */
public interface RunDispatcher {
    /** The list is the caller's, and changes afterwards. */
    void run(List<Run> runs);

    /**
     * Gets runs ready whose instant is about to come: of thousands the first would wait while they are handed over.
     *
     * @param runs as for {@link #run}; they come to those that are ready already
     */
    void prepare(List<Run> runs);

    /** Runs what is ready. */
    void runPrepared();

    void system(long systemTaskId);
}
