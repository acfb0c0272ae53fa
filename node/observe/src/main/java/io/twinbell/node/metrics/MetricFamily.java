package io.twinbell.node.metrics;

/**
 * Metrics that share a Prometheus name and differ in at most one label.
 *
 * @param name as a scraper sees it, with the suffix of its kind
 * @param label the label's name; null for none
 * @param help a sentence that describes the metric and its unit
 */
record MetricFamily(String name, Kind kind, String label, String help) {
    private static final String COUNTER_SUFFIX = "_total";
    static final String INFO_SUFFIX = "_info";

    /** The Prometheus type of a family. */
    enum Kind {
        GAUGE,
        COUNTER,
        HISTOGRAM,
        INFO
    }

    /** The name without its suffix, which Prometheus' library adds itself. */
    String plainName() {
        return switch (kind) {
            case COUNTER -> without(COUNTER_SUFFIX);
            case INFO -> without(INFO_SUFFIX);
            case GAUGE, HISTOGRAM -> name;
        };
    }

    private String without(String suffix) {
        return name.endsWith(suffix) ? name.substring(0, name.length() - suffix.length()) : name;
    }
}
