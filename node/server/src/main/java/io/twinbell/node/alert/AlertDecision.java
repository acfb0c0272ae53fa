package io.twinbell.node.alert;

import io.twinbell.node.alert.store.AlertOutbox.AlertStanding;

/** Decides the next action for an alert. A pure function. */
final class AlertDecision {
    /** One action. After it the alert's state is different, and the next action is decided from it. */
    enum Act {
        /** Remove events older than the threshold's period. */
        FORGET,
        /** Add events to the delivery that gathers. */
        GATHER,
        /** Add events to a delivery that is not sent, because the alert is silent. */
        SILENCE,
        /** End a silence. */
        END_SILENCE,
        /** Close the gathered delivery, so that it is sent. */
        CLOSE,
        /** Nothing to do. */
        WAIT
    }

    private AlertDecision() {}

    /** @param isSilent whether the alert is silent now */
    static Act decide(AlertDefinition definition, AlertStanding standing, boolean isSilent, long nowMillis) {
        AlertStanding.DeliverySummary deliveries = standing.deliveries();
        AlertStanding.Waiting waiting = standing.waiting();
        boolean drops = isSilent && !definition.silence().keeps();
        if (deliveries.isSilencing() && !drops) {
            return Act.END_SILENCE;
        }
        if (drops && waiting.count() > waiting.lasting()) {
            return Act.SILENCE;
        }
        if (!drops && waiting.count() > 0) {
            Act act = take(definition.threshold(), standing, nowMillis);
            if (act != Act.WAIT) {
                return act;
            }
        }
        return isDue(definition.pace(), deliveries, nowMillis) && !isSilent ? Act.CLOSE : Act.WAIT;
    }

    /** Gathers events once the threshold is reached, and further ones until the delivery is sent. */
    private static Act take(AlertDefinition.Threshold threshold, AlertStanding standing, long nowMillis) {
        if (threshold == null || standing.deliveries().gatheringSinceMillis() != null) {
            return Act.GATHER;
        }
        if (standing.waiting().oldestMillis() < nowMillis - threshold.within().toMillis()) {
            return Act.FORGET;
        }
        return standing.waiting().count() >= threshold.count() ? Act.GATHER : Act.WAIT;
    }

    /** One delivery at a time: while an earlier one is retried, events are gathered. */
    private static boolean isDue(
            AlertDefinition.DeliveryPace pace, AlertStanding.DeliverySummary deliveries, long nowMillis) {
        Long since = deliveries.gatheringSinceMillis();
        Long last = deliveries.lastStartedMillis();
        return since != null
                && !deliveries.isUnderWay()
                && nowMillis >= since + pace.gather().toMillis()
                && (last == null || nowMillis >= last + pace.every().toMillis());
    }
}
