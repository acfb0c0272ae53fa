package io.twinbell.tools.bench;

import java.util.HashMap;
import java.util.Map;

/** What {@code /metrics} says; samples of one name are added up over their labels. */
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

    /** @throws BenchException if there is none of that name: what is taken for 0 would measure nothing */
    double value(String name) throws BenchException {
        Double value = samples.get(name);
        if (value == null) {
            throw new BenchException("the node has no metric " + name);
        }
        return value;
    }

    /** Executions that ended in any way since the process began. */
    long ended() throws BenchException {
        return (long) value("twinbell_executions_total");
    }
}
