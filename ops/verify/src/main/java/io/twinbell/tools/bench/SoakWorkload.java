package io.twinbell.tools.bench;

import io.twinbell.tools.check.history.LedgerRow;
import io.twinbell.tools.client.NodeException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import org.HdrHistogram.Histogram;

/**
 * Applies a steady load for a long time to show whether lateness, memory or tables grow.
 *
 * @param perSecond how many tasks fire every second
 * @param length how long the load lasts
 * @param every the interval of the report lines
 */
public record SoakWorkload(int perSecond, Duration length, Duration every) implements Workload {
    /** Microseconds per millisecond. */
    private static final double MICROS = 1000;

    private static final double MEGABYTE = 1024 * 1024;
    /** A slot of this age is in the ledger if the pair keeps up. */
    private static final Duration SETTLED = Duration.ofSeconds(2);

    @Override
    public String title() {
        return "soak with " + perSecond + " slots per second for " + length;
    }

    /** The values of one report line. */
    private record ReportLine(Histogram lateness, OptionalDouble heapMegabytes, Map<String, Long> sizes) {}

    @Override
    public Span run(BenchSite site, BenchResults results) throws NodeException, BenchException, IOException {
        int seconds = Math.toIntExact(length.toSeconds());
        BenchPlan plan = new BenchPlan.EverySecond(TaskLoader.startFor(site, 0, perSecond), perSecond, seconds);
        long[] ids = new TaskLoader(site, TaskLoader.noop()).fill(plan);
        ResourceMeter meter = ResourceMeter.start(site, results);
        List<ReportLine> stretches = new ArrayList<>();
        for (long from = plan.firstMillis(); from <= plan.lastMillis(); from += every.toMillis()) {
            long until = Math.min(plan.lastMillis(), from + every.toMillis() - 1);
            while (site.nowMillis() + site.aheadMillis() < until + SETTLED.toMillis()) {
                site.sleep(Duration.ofMillis(200));
            }
            stretches.add(stretch(site, from, until));
            site.print(line(stretches.get(stretches.size() - 1), from - plan.firstMillis()));
        }
        meter.stop(results, plan.slots());
        ResultCheck check = new ResultCheck(plan, ids);
        site.rows(plan.firstMillis(), plan.lastMillis(), check::add);
        results.add(check);
        drift(results, stretches);
        return Span.of(plan);
    }

    private static ReportLine stretch(BenchSite site, long from, long until)
            throws NodeException, BenchException, IOException {
        Histogram lateness = new Histogram(3);
        site.rows(from, until, timed -> {
            if (timed.row().state() == LedgerRow.State.SUCCEEDED) {
                lateness.recordValue(Math.max(0, timed.latenessMicros()));
            }
        });
        OptionalDouble used = OptionalDouble.empty();
        try (MasterBeans beans = new MasterBeans(site.master())) {
            used = OptionalDouble.of(beans.usedBytes() / MEGABYTE);
        } catch (IOException e) {
            site.print("the master does not answer over JMX: " + e.getMessage());
        }
        return new ReportLine(
                lateness,
                used,
                site.database().isPresent() ? site.database().get().sizes() : Map.of());
    }

    private static String line(ReportLine reportLine, long afterMillis) {
        StringBuilder line = new StringBuilder(String.format(
                Locale.ROOT,
                "%6d s  %d slots, lateness p50 %.1f ms, p99 %.1f ms, max %.1f ms",
                afterMillis / 1000,
                reportLine.lateness().getTotalCount(),
                reportLine.lateness().getValueAtPercentile(50) / MICROS,
                reportLine.lateness().getValueAtPercentile(99) / MICROS,
                reportLine.lateness().getMaxValue() / MICROS));
        reportLine.heapMegabytes().ifPresent(heap -> line.append(String.format(Locale.ROOT, ", heap %.0f MB", heap)));
        reportLine
                .sizes()
                .forEach((table, bytes) ->
                        line.append(String.format(Locale.ROOT, ", %s %.1f MB", table, bytes / MEGABYTE)));
        return line.toString();
    }

    /** Compares the first quarter with the last one. */
    private static void drift(BenchResults results, List<ReportLine> stretches) {
        int quarter = Math.max(1, stretches.size() / 4);
        List<ReportLine> first = stretches.subList(0, quarter);
        List<ReportLine> last = stretches.subList(stretches.size() - quarter, stretches.size());
        results.add("latenessFirstQuarter", "lateness in the first quarter", together(first), 1 / MICROS, "ms");
        results.add("latenessLastQuarter", "lateness in the last quarter", together(last), 1 / MICROS, "ms");
        least(first)
                .ifPresent(heap ->
                        results.add("leastHeapFirstQuarter", "least JVM heap in use, first quarter", heap, "MB"));
        least(last)
                .ifPresent(
                        heap -> results.add("leastHeapLastQuarter", "least JVM heap in use, last quarter", heap, "MB"));
        stretches.get(0).sizes().forEach((table, bytes) -> {
            long end = stretches.get(stretches.size() - 1).sizes().get(table);
            results.add("tableStart." + table, "table " + table + " after the first line", bytes / MEGABYTE, "MB");
            results.add("tableEnd." + table, "table " + table + " at the end", end / MEGABYTE, "MB");
        });
    }

    private static Histogram together(List<ReportLine> stretches) {
        Histogram all = new Histogram(3);
        stretches.forEach(reportLine -> all.add(reportLine.lateness()));
        return all;
    }

    private static OptionalDouble least(List<ReportLine> stretches) {
        return stretches.stream()
                .flatMapToDouble(reportLine -> reportLine.heapMegabytes().stream())
                .min();
    }
}
