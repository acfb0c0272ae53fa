package io.twinbell.node.simulation;

import io.twinbell.node.pair.database.ChangeListener;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * A model of {@code ChangeListener}: notifications that are sent while its connection is down are lost, and each new
 * connection is reported.
 */
final class Listening implements SimulatedDatabase.Notices {
    private static final long SIGN_OF_LIFE = World.SECOND;
    private static final long RETRY = 200 * World.MILLI;

    private final Link link;
    private final ChangeListener.Changes changes;
    private final Mutation mutation;
    private final SimulationActor actor;
    private final Deque<Runnable> heard = new ArrayDeque<>();
    private Backend listening;

    Listening(Link link, Process process, ChangeListener.Changes changes, Mutation mutation) {
        this.link = link;
        this.changes = changes;
        this.mutation = mutation;
        actor = process.loop("listener", this::step);
    }

    void start() {
        actor.start();
    }

    @Override
    public Backend listening() {
        return listening;
    }

    @Override
    public void hear(String channel, long taskId) {
        if (mutation.forgets(link.process(), channel)) {
            return;
        }
        heard.add(() -> {
            switch (channel) {
                case "task" -> changes.tasksChanged(new long[] {taskId});
                case "ledger" -> changes.ledgerChanged();
                default -> changes.epochChanged();
            }
        });
        actor.wake();
    }

    private long step() {
        try {
            if (listening == null || listening.ended) {
                heard.clear();
                link.ask("listen", () -> listening = link.serving());
                changes.listening();
                return 0;
            }
            if (heard.isEmpty()) {
                link.ask("still there?", () -> null);
            }
        } catch (DatabaseUnavailableException e) {
            listening = null;
            return RETRY;
        }
        while (!heard.isEmpty()) {
            heard.poll().run();
        }
        return SIGN_OF_LIFE;
    }
}
