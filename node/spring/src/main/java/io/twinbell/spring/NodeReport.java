package io.twinbell.spring;

import io.twinbell.TwinbellStatus;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The state of the node as Actuator shows it. Everything is read from memory. */
final class NodeReport {
    private final TwinbellNode node;
    private final DeclaredHandlers handlers;
    private final RecurringUpkeep recurring;

    NodeReport(TwinbellNode node, DeclaredHandlers handlers, RecurringUpkeep recurring) {
        this.node = node;
        this.handlers = handlers;
        this.recurring = recurring;
    }

    boolean isReady() {
        return status().map(TwinbellStatus::isReady).orElse(false);
    }

    /** The pair, this node and its role. */
    Map<String, Object> identity() {
        Map<String, Object> shown = new LinkedHashMap<>();
        status().ifPresent(status -> {
            shown.put("cluster", status.cluster());
            shown.put("node", status.nodeId());
            shown.put("role", status.role());
            shown.put("epoch", status.epoch());
        });
        return shown;
    }

    /** The identity, and the reasons why the node is not ready. */
    Map<String, Object> health() {
        Map<String, Object> shown = identity();
        List<String> reasons = status().map(TwinbellStatus::reasons).orElse(List.of("the node is not running"));
        if (!reasons.isEmpty()) {
            shown.put("reasons", reasons);
        }
        return shown;
    }

    /** The health, and the handlers and tasks that the application declares. */
    Map<String, Object> everything() {
        Map<String, Object> shown = health();
        shown.put("ready", isReady());
        shown.put("handlers", handlers.byKey().keySet().stream().sorted().toList());
        shown.put(
                "recurring",
                handlers.recurring().stream().map(RecurringTask::name).sorted().toList());
        shown.put("refusedRecurring", recurring.problems());
        shown.put("undeclaredRecurring", recurring.undeclared());
        return shown;
    }

    private Optional<TwinbellStatus> status() {
        return node.running().map(running -> running.status());
    }
}
