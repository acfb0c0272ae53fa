package io.twinbell.ops.verify;

import io.twinbell.ops.check.Offence;
import io.twinbell.ops.check.Rule;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** What was found to be wrong: all of it counted, the first ones kept. */
final class Wounds {
    private final int most;
    private final List<Offence> kept = new ArrayList<>();
    private final Map<Rule, Long> counts = new EnumMap<>(Rule.class);

    Wounds(int most) {
        this.most = most;
    }

    void add(Offence wound) {
        counts.merge(wound.rule(), 1L, Long::sum);
        if (kept.size() < most) {
            kept.add(wound);
        }
    }

    void addAll(Wounds others) {
        others.counts.forEach((rule, count) -> counts.merge(rule, count, Long::sum));
        others.kept.stream().limit(most - kept.size()).forEach(kept::add);
    }

    void forget(Rule rule) {
        counts.remove(rule);
        kept.removeIf(wound -> wound.rule() == rule);
    }

    boolean has(Rule rule) {
        return counts.containsKey(rule);
    }

    long count() {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }

    Map<Rule, Long> counts() {
        return counts;
    }

    List<Offence> kept() {
        return kept;
    }
}
