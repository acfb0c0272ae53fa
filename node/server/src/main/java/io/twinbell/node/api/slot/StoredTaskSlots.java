package io.twinbell.node.api.slot;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.api.cluster.ClusterView;
import io.twinbell.node.api.exchange.ApiStores;
import io.twinbell.node.api.exchange.ReasonBody;
import io.twinbell.node.api.exchange.RequestBody;
import io.twinbell.node.engine.task.Schedule;
import io.twinbell.node.engine.task.TaskDefinition;
import io.twinbell.node.execution.store.Execution;
import io.twinbell.node.execution.store.ExecutionQueries;
import io.twinbell.node.execution.store.ExecutionQueries.ManualRun;
import io.twinbell.node.execution.store.ExecutionRequests.Backfill;
import io.twinbell.node.explain.SlotQuestion;
import io.twinbell.node.json.FieldError;
import io.twinbell.node.json.Fields;
import io.twinbell.node.json.Instants;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.schedule.text.Interval;
import io.twinbell.node.task.TaskReader;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.task.Task;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/** The operations on the slots of one task, on the stores of a node. The routes of the API use it too. */
public final class StoredTaskSlots implements TaskSlots {
    /** The maximum number of fire times that the answer to a backfill lists. */
    private static final int SHOWN = 100;

    private final ApiStores stores;
    private final Writers writers;
    private final ExplanationReader explanations;

    public StoredTaskSlots(ApiStores stores, ClusterView cluster) {
        this(
                stores,
                new Writers(stores.executions(), stores.requests(), stores.pings()),
                new ExplanationReader(stores, cluster));
    }

    private StoredTaskSlots(ApiStores stores, Writers writers, ExplanationReader explanations) {
        this.stores = stores;
        this.writers = writers;
        this.explanations = explanations;
    }

    @Override
    public Writers writers() {
        return writers;
    }

    @Override
    public TaskSlots writingTo(Writers others) {
        return new StoredTaskSlots(stores, others, explanations);
    }

    @Override
    public Optional<Slot> trigger(Task task, ManualRun run) {
        return trigger(writers.executions(), task, stores.calendars().fresh(), run)
                .map(Execution::slot);
    }

    /**
     * Enters a run by hand: a run of a task in addition to its schedule. It gets a fire time that the schedule does not
     * have.
     *
     * @param calendars what the task's definition may refer to
     * @return empty if the task was removed meanwhile
     * @throws InvalidJsonException if the task's definition cannot be read
     */
    public static Optional<Execution> trigger(
            ExecutionQueries executions, Task task, Calendars calendars, ManualRun run) {
        TaskDefinition definition = TaskReader.definition(
                task.content().app(), task.content().name(), task.content().definition(), calendars);
        return executions.trigger(task.id(), definition.schedule()::hasFireTime, run);
    }

    @Override
    public Optional<ObjectNode> backfill(Task task, ObjectNode body) {
        BackfillBody wish = BackfillBody.read(body, stores.clock().nowMillis(), stores.successesKept());
        List<Long> slots = wish.slots(task, stores.calendars().fresh());
        return writers.requests().backfill(task.id(), slots, wish.backfill()).map(entered -> {
            ObjectNode answer = JsonNodeFactory.instance.objectNode();
            answer.put("taskId", task.id());
            answer.put("dryRun", wish.backfill().dryRun());
            answer.put("slots", slots.size());
            answer.put("entered", entered.size());
            ArrayNode fireTimes = answer.putArray("fireTimes");
            entered.stream().limit(SHOWN).map(Instants::text).forEach(fireTimes::add);
            return answer;
        });
    }

    @Override
    public int cancelBackfill(long taskId) {
        return writers.requests().cancelBackfill(taskId, "the backfill was cancelled");
    }

    @Override
    public OptionalLong ping(long taskId) {
        return writers.pings().ping(taskId);
    }

    @Override
    public ZoneId zone(Task task) {
        return ExplanationReader.zone(task);
    }

    @Override
    public ExplainedSlot explain(Task task, SlotQuestion question) {
        return explanations.explain(task.id(), task, question);
    }

    /**
     * The body of a backfill request: {@code {"from":"…","to":"…","pace":"PT1S","reason":"…","dryRun":false}}.
     *
     * @param fromMillis the first instant of the span
     * @param untilMillis the end of the span, exclusive
     */
    private record BackfillBody(long fromMillis, long untilMillis, Backfill backfill) {
        /** The maximum number of slots of one request. */
        private static final int MAX_SLOTS = 1000;

        private static final Duration USUAL_PACE = Duration.ofSeconds(1);
        private static final Duration SLOWEST_PACE = Duration.ofHours(1);

        /**
         * @param nowMillis the database's clock
         * @param kept how long the ledger keeps executions that have SUCCEEDED
         * @throws InvalidJsonException if a member is missing, invalid or unknown
         */
        static BackfillBody read(ObjectNode body, long nowMillis, Duration kept) {
            List<FieldError> errors = new ArrayList<>();
            Fields fields = Fields.of(body, "", errors);
            fields.required("from");
            fields.required("to");
            Long from = fields.instant("from");
            Long to = fields.instant("to");
            long oldest = nowMillis - kept.toMillis();
            if (from != null && from < oldest) {
                fields.error("from", "must not be before " + Instants.text(oldest) + ", which retention deletes");
            }
            if (to != null && to > nowMillis) {
                fields.error("to", "must not be later than now");
            } else if (from != null && to != null && to <= from) {
                fields.error("to", "must be later than from");
            }
            String reason = fields.line("reason", ReasonBody.MAX_LENGTH);
            Duration pace = fields.duration("pace", Duration.ZERO, SLOWEST_PACE);
            boolean dryRun = Boolean.TRUE.equals(fields.bool("dryRun"));
            RequestBody.end(fields, errors);
            return new BackfillBody(
                    from,
                    to,
                    new Backfill(
                            reason == null ? "backfilled" : "backfilled: " + reason,
                            Objects.requireNonNullElse(pace, USUAL_PACE),
                            dryRun));
        }

        /**
         * Finds the slots that the task's present schedule has in the span, also before the start of the task. An
         * interval keeps its grid: it is continued backward from the start.
         *
         * @throws InvalidJsonException if the schedule has no such slots, or more than {@link #MAX_SLOTS}
         */
        List<Long> slots(Task task, Calendars calendars) {
            Schedule schedule = schedule(task, fromMillis, calendars);
            if (schedule.followsTheRun()) {
                throw new InvalidJsonException(
                        "", "the fire times of this task count from its runs, so it has no past slots");
            }
            List<Long> slots = new ArrayList<>();
            for (long fire = schedule.next(fromMillis - 1); fire < untilMillis; fire = schedule.next(fire)) {
                if (slots.size() == MAX_SLOTS) {
                    throw new InvalidJsonException(
                            "/to",
                            "the span has more than " + MAX_SLOTS + " slots; the first one beyond is "
                                    + Instants.text(fire));
                }
                slots.add(fire);
            }
            return slots;
        }

        private static Schedule schedule(Task task, long fromMillis, Calendars calendars) {
            ObjectNode definition =
                    (ObjectNode) StrictJson.readStored(task.content().definition());
            JsonNode schedule = definition.path("schedule");
            if (schedule.hasNonNull("at") || schedule.hasNonNull("in")) {
                throw new InvalidJsonException("", "a one-shot has no past slots");
            }
            long start = Instants.millis(definition.path("start").asText());
            if (start > fromMillis) {
                definition.put("start", Instants.text(earlier(start, fromMillis, schedule.path("every"))));
            }
            return TaskReader.definition(task.content().app(), task.content().name(), definition.toString(), calendars)
                    .schedule();
        }

        /** A start at or before the span, on the grid of an interval. */
        private static long earlier(long start, long fromMillis, JsonNode every) {
            if (!every.isTextual()) {
                return fromMillis;
            }
            long interval = Interval.period("/every", every.textValue());
            // One interval more, because the first fire may come one interval after the start.
            long intervals = Math.floorDiv(start - fromMillis + interval - 1, interval) + 1;
            return Math.max(Math.floorMod(start, interval), start - intervals * interval);
        }
    }
}
