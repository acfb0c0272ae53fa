package io.twinbell.node.virtual;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/** One life of the node: its loops and timers end together, as those of a process that is killed. */
final class VirtualProcess implements Steps {
    private final VirtualTimeline time;
    private final List<VirtualLoop> loops = new ArrayList<>();
    private boolean isDead;

    VirtualProcess(VirtualTimeline time) {
        this.time = time;
    }

    @Override
    public SteppedLoop loop(String name, LongSupplier step) {
        VirtualLoop loop = new VirtualLoop(time, step);
        loops.add(loop);
        return loop;
    }

    @Override
    public void later(Duration delay, Runnable action) {
        time.after(delay, () -> {
            if (!isDead) {
                action.run();
            }
        });
    }

    boolean isDead() {
        return isDead;
    }

    void kill() {
        isDead = true;
        loops.forEach(VirtualLoop::close);
    }
}
