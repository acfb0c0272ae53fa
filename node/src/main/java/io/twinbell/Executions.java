package io.twinbell;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.client.ExecutionSelection;
import io.twinbell.client.ExecutionView;
import io.twinbell.node.api.exchange.ExecutionJson;
import io.twinbell.node.api.exchange.ReasonBody;
import io.twinbell.node.api.slot.TaskSlots;
import io.twinbell.node.execution.store.Execution;
import io.twinbell.node.execution.store.ExecutionFilter;
import io.twinbell.node.execution.store.ExecutionQueries.ExecutionPage;
import io.twinbell.node.execution.store.ExecutionRequests;
import io.twinbell.node.json.ControlCharacterCheck;
import io.twinbell.node.json.StrictJson;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.Slot;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Lists executions and runs them again, from the program that embeds a node. Either node of the pair accepts the calls.
 * All methods throw {@link DatabaseException} if the database does not answer.
 */
public final class Executions {
    /** The maximum number of executions in a list. */
    public static final int MOST_LISTED = 1000;

    /** The maximum number of executions that one call runs again. */
    public static final int MOST_RERUNS = 10_000;

    private static final String BY_HAND = "run again by hand";

    private final Supplier<TaskSlots.Writers> stores;

    Executions(Supplier<TaskSlots.Writers> stores) {
        this.stores = stores;
    }

    /**
     * Lists executions of an app, the newest fire time first.
     *
     * @param limit 1 to {@value #MOST_LISTED}
     * @param after null, or {@link ExecutionView.Listed#next} of the previous page
     * @throws IllegalArgumentException if the selection, the limit or the cursor is not valid
     */
    public ExecutionView.Listed list(String app, ExecutionSelection which, int limit, String after) {
        if (limit < 1 || limit > MOST_LISTED) {
            throw new IllegalArgumentException("the limit must be 1 to " + MOST_LISTED + ", not " + limit);
        }
        Slot cursor = after == null ? null : slot(after);
        return Failures.translated(() -> {
            List<Execution> found = stores.get()
                    .executions()
                    .list(filter(app, which), new ExecutionPage(cursor, limit + 1, false, false));
            List<ExecutionView> items =
                    found.stream().limit(limit).map(Executions::view).toList();
            return new ExecutionView.Listed(
                    items, found.size() > limit ? items.get(limit - 1).id() : null);
        });
    }

    /**
     * Returns the execution of this app with its earlier attempts in the JSON; empty if there is none.
     *
     * @throws IllegalArgumentException if the id is not one of an execution, such as {@code 17-1767225600000}
     */
    public Optional<ExecutionView> find(String app, String id) {
        Slot slot = slot(id);
        return Failures.translated(() -> stores.get()
                .executions()
                .find(slot)
                .filter(execution -> execution.app().equals(app))
                .map(Executions::whole));
    }

    /**
     * Runs an ended execution again, also one that has SUCCEEDED: the next attempt of its slot, under the same idempotency
     * key. It starts as soon as no other execution of its task runs.
     *
     * @param reason one line, which is a part of the reason of the execution; null for none
     * @return the execution after the request: PENDING, unless the master has already begun; empty if this app has no such
     *     execution
     * @throws ConflictException if it has not ended, represents many slots, or its task was removed
     * @throws IllegalArgumentException if the id is not one of an execution, or the reason has control or invisible
     *     characters or more than 500 characters
     */
    public Optional<ExecutionView> rerun(String app, String id, String reason) {
        Slot slot = slot(id);
        String why = why(reason);
        return Failures.translated(() -> {
            Optional<Execution> own = stores.get()
                    .executions()
                    .find(slot)
                    .filter(execution -> execution.app().equals(app));
            Optional<ExecutionRequests.Answer> answer =
                    own.flatMap(execution -> stores.get().requests().rerun(slot, why));
            answer.filter(given -> given.refusal() != null).ifPresent(given -> {
                throw new ConflictException("execution " + id + " cannot run again: " + given.refusal(), null);
            });
            return answer.map(given -> whole(given.execution()));
        });
    }

    /**
     * Runs ended executions of an app again, oldest first, at most {@value #MOST_RERUNS} in one call. Those that fail
     * again meanwhile are not run a second time.
     *
     * @param which with final states, as {@link ExecutionSelection#failed} has
     * @param reason one line, which is a part of the reason of each execution; null for none
     * @return the number; {@value #MOST_RERUNS} if there may be more
     * @throws IllegalArgumentException if a state is not final, or none is given, or the reason has control or
     *     invisible characters
     */
    public int rerunAll(String app, ExecutionSelection which, String reason) {
        ExecutionFilter filter = filter(app, which);
        if (filter.states().isEmpty() || !filter.states().stream().allMatch(ExecutionState::isFinal)) {
            throw new IllegalArgumentException(
                    "the selection must have final states, such as FAILED and TIMED_OUT, not " + which.states());
        }
        String why = why(reason);
        return Failures.translated(() -> stores.get().requests().rerunAll(filter, why, MOST_RERUNS));
    }

    private static ExecutionFilter filter(String app, ExecutionSelection which) {
        Failures.required(app, "an app");
        Failures.required(which, "a selection");
        return ExecutionFilter.ofApp(
                app, which.task(), which.states(), millis(which.from()), millis(which.until()), which.errorCode());
    }

    private static Long millis(Instant instant) {
        return instant == null ? null : Failures.millis(instant, "the instant");
    }

    private static Slot slot(String id) {
        return Optional.ofNullable(id)
                .flatMap(ExecutionJson::slot)
                .orElseThrow(() -> new IllegalArgumentException(
                        "\"" + id + "\" is not the id of an execution, such as 17-1767225600000"));
    }

    private static String why(String reason) {
        if (reason == null) {
            return BY_HAND;
        }
        ObjectNode body = JsonNodeFactory.instance.objectNode().put("reason", reason);
        return Failures.translated(() -> {
            ControlCharacterCheck.check(body);
            return BY_HAND + ": " + ReasonBody.of(body);
        });
    }

    private static ExecutionView view(Execution execution) {
        return ExecutionView.of(StrictJson.write(ExecutionJson.answer(execution)));
    }

    private static ExecutionView whole(Execution execution) {
        return ExecutionView.of(StrictJson.write(ExecutionJson.whole(execution)));
    }
}
