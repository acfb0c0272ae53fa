package io.twinbell.node.simulation;

import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.takeover.OwnerLocation;
import io.twinbell.persistence.takeover.OwnerRecords;
import io.twinbell.persistence.takeover.OwnerSessions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Stands for {@code JdbcOwnerRecords} on the simulated database. */
final class SimulatedOwnerRecords implements OwnerRecords {
    private final Link link;
    private final SimulatedDatabase database;
    private final Tables tables;

    SimulatedOwnerRecords(Link link, SimulatedDatabase database) {
        this.link = link;
        this.database = database;
        tables = database.tables;
    }

    @Override
    public boolean record(Epoch epoch, OwnerLocation location) {
        return link.guarded("record whereabouts", () -> {
            boolean may = tables.isOwner(epoch);
            if (may) {
                tables.location = location;
            }
            return may;
        });
    }

    @Override
    public Optional<OwnerLocation> owner() {
        return latest("owner?", false);
    }

    @Override
    public Optional<OwnerLocation> resigned() {
        return latest("resigned?", true);
    }

    private Optional<OwnerLocation> latest(String question, boolean hasResigned) {
        return link.ask(question, () -> {
            Tables.EpochRecord row = tables.epoch;
            OwnerLocation at = tables.location;
            return row.node == null || row.resigned != hasResigned || at == null || at.epoch() != row.number
                    ? Optional.empty()
                    : Optional.of(at);
        });
    }

    @Override
    public boolean isLockHeldBy(int backend) {
        return link.ask(
                "lock held?",
                () -> database.masterLockHolder()
                        .filter(holder -> holder.pid == backend)
                        .isPresent());
    }

    @Override
    public OwnerSessions sessionsOf(UUID incarnation) {
        return link.ask("sessions?", () -> {
            List<Backend> sessions = database.sessionsOf(incarnation);
            long spoke = sessions.stream()
                    .mapToLong(backend -> backend.spokeNanos)
                    .max()
                    .orElse(0);
            long ago = (database.world().now() - spoke) / World.MILLI;
            long now = database.nowMillis();
            return new OwnerSessions(sessions.size(), sessions.isEmpty() ? 0 : now - ago, now);
        });
    }

    @Override
    public void enterTakeover(String node, long epoch, String verdict) {
        link.commit("enter takeover " + verdict, () -> {
            tables.takeovers.add(new Tables.Takeover(verdict, database.nowMillis()));
            return null;
        });
    }

    @Override
    public int takeoversOfLost(Duration within) {
        return link.ask("takeovers?", () -> (int) tables.takeovers.stream()
                .filter(one ->
                        one.verdict().equals("LOST") && one.atMillis() > database.nowMillis() - within.toMillis())
                .count());
    }
}
