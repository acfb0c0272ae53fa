package io.twinbell.node.alert;

import io.twinbell.persistence.alert.AlertStanding;

/** What is to be done next for an alert: a pure decision. */
final class AlertDecision {
    /** One thing to do; after it the alert stands otherwise, and is decided on anew. */
    enum Act {
        /** The oldest events lie outside of the threshold's time. */
        FORGET,
        /** Events go into the delivery that gathers. */
        GATHER,
        /** Events go where nothing is sent from. */
        SILENCE,
        /** A silence is over. */
        END_SILENCE,
        /** What was gathered is to be sent. */
        CLOSE,
        /** Nothing. */
        WAIT
    }

    private AlertDecision() {}

    /** @param isSilent whether the alert is silent now */
    static Act decide(AlertDefinition definition, AlertStanding standing, boolean isSilent, long nowMillis) {
        AlertStanding.Deliveries deliveries = standing.deliveries();
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

    /** What is there counts, once there is enough of it; and whatever comes until that is told, too. */
    private static Act take(AlertDefinition.Threshold threshold, AlertStanding standing, long nowMillis) {
        if (threshold == null || standing.deliveries().gatheringSinceMillis() != null) {
            return Act.GATHER;
        }
        if (standing.waiting().oldestMillis() < nowMillis - threshold.within().toMillis()) {
            return Act.FORGET;
        }
        return standing.waiting().count() >= threshold.count() ? Act.GATHER : Act.WAIT;
    }

    /** One call at a time: while the one before is tried again, more is gathered. */
    private static boolean isDue(AlertDefinition.Pace pace, AlertStanding.Deliveries deliveries, long nowMillis) {
        Long since = deliveries.gatheringSinceMillis();
        Long last = deliveries.lastStartedMillis();
        return since != null
                && !deliveries.isUnderWay()
                && nowMillis >= since + pace.gather().toMillis()
                && (last == null || nowMillis >= last + pace.every().toMillis());
    }
}
