package io.twinbell.tools.bench;

import java.util.HashMap;
import java.util.Map;

/** The samples of {@code /metrics}, summed over labels by name. */
record MetricsPage(Map<String, Double> samples) {
    static MetricsPage of(String text) {
        Map<String, Double> samples = new HashMap<>();
        for (String line : text.split("\n")) {
            int value = line.lastIndexOf(' ');
            if (!line.startsWith("#") && value > 0) {
                int labels = line.indexOf('{');
                String name = line.substring(0, labels < 0 ? value : labels);
                samples.merge(name, Double.parseDouble(line.substring(value + 1)), Double::sum);
            }
        }
        return new MetricsPage(samples);
    }

    /** @throws BenchException if no sample has this name; reading 0 instead would measure nothing */
    double value(String name) throws BenchException {
        Double value = samples.get(name);
        if (value == null) {
            throw new BenchException("the node has no metric " + name);
        }
        return value;
    }

    /** Executions that ended in any way since the process started. */
    long ended() throws BenchException {
        return (long) value("twinbell_executions_total");
    }
}
