package io.twinbell.node.api.slot;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.api.exchange.ReasonBody;
import io.twinbell.node.execution.store.ExecutionRequests.Backfill;
import io.twinbell.node.json.FieldError;
import io.twinbell.node.json.Fields;
import io.twinbell.node.json.Instants;
import io.twinbell.node.json.InvalidJsonException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The body of a backfill request: {@code {"from":"…","to":"…","pace":"PT1S","reason":"…","dryRun":false}}.
 *
 * @param fromMillis the first instant of the span
 * @param untilMillis the end of the span, exclusive
 */
record BackfillBody(long fromMillis, long untilMillis, Backfill backfill) {
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
        fields.refuseUnknown();
        if (!errors.isEmpty()) {
            throw new InvalidJsonException(errors);
        }
        return new BackfillBody(
                from,
                to,
                new Backfill(
                        reason == null ? "backfilled" : "backfilled: " + reason,
                        Objects.requireNonNullElse(pace, USUAL_PACE),
                        dryRun));
    }
}
