package io.twinbell.node.engine.handler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Slot;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

class RunLogTest {
    @Test
    void runs_of_several_epochs_in_one_process_are_each_logged_with_their_own() {
        List<Long> epochs = List.of(7L, 9L, 7L);
        List<RunLog> logs = epochs.stream()
                .map(number -> new RunLog(
                        "shop", "close", new Slot(1, 0), 2, new Epoch(number, new UUID(0, number), "n" + number, 0)))
                .toList();
        for (int i = 0; i < logs.size(); i++) {
            logs.get(i).enter();
            assertEquals(
                    "shop/close 1/1970-01-01T00:00:00.000Z 2 " + epochs.get(i) + " n" + epochs.get(i),
                    String.join(
                            " ",
                            MDC.get("task"),
                            MDC.get("slot"),
                            MDC.get("attempt"),
                            MDC.get("epoch"),
                            MDC.get("node")));
            RunLog.leave();
            assertNull(MDC.get("epoch"));
        }
    }
}
