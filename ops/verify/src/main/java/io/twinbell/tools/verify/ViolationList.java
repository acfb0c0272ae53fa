package io.twinbell.tools.verify;

import io.twinbell.tools.check.Rule;
import io.twinbell.tools.check.Violation;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Collects violations: counts all, keeps the first ones. */
final class ViolationList {
    private final int most;
    private final List<Violation> kept = new ArrayList<>();
    private final Map<Rule, Long> counts = new EnumMap<>(Rule.class);

    ViolationList(int most) {
        this.most = most;
    }

    void add(Violation wound) {
        counts.merge(wound.rule(), 1L, Long::sum);
        if (kept.size() < most) {
            kept.add(wound);
        }
    }

    void addAll(ViolationList others) {
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

    List<Violation> kept() {
        return kept;
    }
}
