package io.twinbell.ops.bench;

import java.util.HashMap;
import java.util.Map;

/** What {@code /metrics} says, of samples without labels. */
record MetricsPage(Map<String, Double> samples) {
    private static final String EXECUTIONS = "twinbell_executions_";

    static MetricsPage of(String text) {
        Map<String, Double> samples = new HashMap<>();
        for (String line : text.split("\n")) {
            int blank = line.indexOf(' ');
            if (!line.startsWith("#") && blank > 0 && line.indexOf('{') < 0) {
                samples.put(
                        line.substring(0, blank),
                        Double.parseDouble(line.substring(blank + 1).strip()));
            }
        }
        return new MetricsPage(samples);
    }

    double value(String name) {
        return samples.getOrDefault(name, 0.0);
    }

    /** Executions that ended in any way since the process began. */
    long ended() {
        double ended = 0;
        for (Map.Entry<String, Double> sample : samples.entrySet()) {
            ended += sample.getKey().startsWith(EXECUTIONS) ? sample.getValue() : 0;
        }
        return (long) ended;
    }
}
