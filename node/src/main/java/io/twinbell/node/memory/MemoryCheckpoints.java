package io.twinbell.node.memory;

import io.twinbell.node.handler.store.Checkpoints;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Slot;

/** Keeps checkpoints in the tables in memory. */
public record MemoryCheckpoints(MemoryTables tables) implements Checkpoints {
    @Override
    public boolean save(Epoch epoch, Slot slot, int attempt, String json) {
        tables.reach("save a checkpoint");
        MemoryRow row = tables.row(slot);
        boolean may =
                row != null && row.attempt == attempt && row.isOf(epoch) && row.isClaimed() && tables.isOwner(epoch);
        if (may) {
            row.checkpoint = json;
        }
        return may;
    }

    @Override
    public String read(Slot slot) {
        tables.reach("read a checkpoint");
        MemoryRow row = tables.row(slot);
        return row == null ? null : row.checkpoint;
    }
}
