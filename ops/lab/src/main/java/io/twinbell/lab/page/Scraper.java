package io.twinbell.lab.page;

import io.twinbell.lab.stage.DrilledPair;
import io.twinbell.tools.client.NodeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Scrapes both nodes every 5 s, as Prometheus does, until it is closed. */
public final class Scraper implements AutoCloseable {
    static final Duration INTERVAL = Duration.ofSeconds(5);
    /** Limit of scrapes: one hour. No fault lasts longer. */
    private static final int MAX_SCRAPES = 720;

    private static final Duration ANSWER = Duration.ofSeconds(2);
    /** Matches samples without labels; no page-level rule needs a label. */
    private static final Pattern SAMPLE = Pattern.compile("(?m)^(twinbell_\\w+) (\\S+)$");

    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
    private final DrilledPair pair;
    private final LongSupplier wallMillis;
    private final List<Scrape> scrapes = new ArrayList<>();

    /**
     * The values of both nodes at one moment.
     *
     * @param byNode each node's values by metric; empty for a node that did not answer
     */
    record Scrape(long atMillis, Map<String, Map<String, String>> byNode) {}

    /** @param wallMillis the clock of the drill's timeline */
    public Scraper(DrilledPair pair, LongSupplier wallMillis) {
        this.pair = pair;
        this.wallMillis = wallMillis;
    }

    public void start() {
        thread.scheduleAtFixedRate(this::scrape, 0, INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void scrape() {
        long now = wallMillis.getAsLong();
        Map<String, Map<String, String>> byNode = new LinkedHashMap<>();
        DrilledPair.NODES.forEach(node -> byNode.put(node, ask(node)));
        synchronized (scrapes) {
            if (scrapes.size() < MAX_SCRAPES) {
                scrapes.add(new Scrape(now, byNode));
            }
        }
    }

    private Map<String, String> ask(String node) {
        try {
            return values(pair.client(node, ANSWER).text("/metrics"));
        } catch (NodeException notAnswering) {
            return Map.of();
        }
    }

    static Map<String, String> values(String text) {
        Map<String, String> values = new TreeMap<>();
        Matcher sample = SAMPLE.matcher(text);
        while (sample.find()) {
            values.put(sample.group(1), sample.group(2));
        }
        return values;
    }

    List<Scrape> scrapes() {
        synchronized (scrapes) {
            return List.copyOf(scrapes);
        }
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
