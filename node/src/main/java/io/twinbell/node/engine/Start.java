package io.twinbell.node.engine;

import java.util.List;

/** Where the trigger sends runs whose instant has come, and system tasks. Must return at once. */
interface Start {
    /** The list is the caller's, and changes afterwards. */
    void run(List<Run> runs);

    void system(long systemTaskId);
}
