package io.twinbell.node.api;

import io.twinbell.node.json.StrictJson;
import io.twinbell.persistence.ledger.LedgerChanges.Change;
import io.twinbell.persistence.ledger.LedgerChanges.Position;
import io.twinbell.persistence.ledger.Slot;
import java.util.Optional;

/** Writes server-sent events, and reads the id of one back: the place in the order of changes. */
final class ServerEvent {
    private ServerEvent() {}

    static String of(Change change) {
        return "event: execution\nid: " + id(change.position()) + "\ndata: "
                + StrictJson.write(ExecutionJson.brief(change.execution())) + "\n\n";
    }

    /** An id without an event: from there it goes on, though nothing was to be told. */
    static String begin(Position position) {
        return "retry: 1000\nid: " + id(position) + "\n\n";
    }

    static String keepAlive(Position position) {
        return ": keep-alive\nid: " + id(position) + "\n\n";
    }

    static String reset(Position position) {
        return "event: reset\nid: " + id(position)
                + "\ndata: {\"reason\":\"the id is none of this database: what changed since is not known\"}\n\n";
    }

    static String end(String reason) {
        return "event: end\ndata: {\"reason\":\"" + reason + "\"}\n\n";
    }

    static String id(Position position) {
        return position.transaction() + "." + position.slot().taskId() + "."
                + position.slot().fireTimeMillis();
    }

    /** Empty if it is not the id of any event. */
    static Optional<Position> position(String id) {
        String[] parts = id.split("\\.", -1);
        try {
            return parts.length != 3
                    ? Optional.empty()
                    : Optional.of(new Position(
                                    Long.parseLong(parts[0]),
                                    new Slot(Long.parseLong(parts[1]), Long.parseLong(parts[2]))))
                            .filter(position -> position.transaction() >= 0 && isPossible(position.slot()));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    private static boolean isPossible(Slot slot) {
        return ExecutionJson.isPossible(slot);
    }
}
