package io.twinbell.ops.metrics;

/**
 * Metrics that share a name in Prometheus and differ by one label at most.
 *
 * @param name as a scraper sees it, with the suffix of its kind
 * @param label the label's name; null for none
 * @param help a sentence with the unit, for whoever reads the scrape
 */
record MetricFamily(String name, Kind kind, String label, String help) {
    private static final String COUNTER_SUFFIX = "_total";
    private static final String INFO_SUFFIX = "_info";

    /** What may become of its values. */
    enum Kind {
        GAUGE,
        COUNTER,
        HISTOGRAM,
        INFO
    }

    /** The name as Prometheus' library wants it, which adds the suffix itself. */
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
