package io.twinbell.node.api.stream;

import io.twinbell.node.api.exchange.ExecutionJson;
import io.twinbell.node.execution.store.LedgerChanges.Change;
import io.twinbell.node.execution.store.LedgerChanges.Position;
import io.twinbell.node.json.StrictJson;
import io.twinbell.persistence.ledger.Slot;
import java.util.Optional;

/** Writes server-sent events, and parses event ids, which are positions in the order of changes. */
final class ServerEvent {
    private ServerEvent() {}

    static String of(Change change) {
        return "event: execution\nid: " + id(change.position()) + "\ndata: "
                + StrictJson.write(ExecutionJson.brief(change.execution())) + "\n\n";
    }

    /** Writes an id without an event, so that a client can resume from there before it has received any change. */
    static String begin(Position position) {
        return "retry: 1000\nid: " + id(position) + "\n\n";
    }

    static String keepAlive(Position position) {
        return ": keep-alive\nid: " + id(position) + "\n\n";
    }

    static String reset(Position position) {
        return "event: reset\nid: " + id(position)
                + "\ndata: {\"reason\":\"this database does not know the id, so the changes since then are unknown\"}\n\n";
    }

    static String end(String reason) {
        return "event: end\ndata: {\"reason\":\"" + reason + "\"}\n\n";
    }

    static String id(Position position) {
        return position.transaction() + "." + position.slot().taskId() + "."
                + position.slot().fireTimeMillis();
    }

    /** Parses an event id; empty if the text cannot be one. */
    static Optional<Position> position(String id) {
        String[] parts = id.split("\\.", -1);
        try {
            return parts.length != 3
                    ? Optional.empty()
                    : Optional.of(new Position(
                                    Long.parseLong(parts[0]),
                                    new Slot(Long.parseLong(parts[1]), Long.parseLong(parts[2]))))
                            .filter(position ->
                                    position.transaction() >= 0 && ExecutionJson.isPossible(position.slot()));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }
}
