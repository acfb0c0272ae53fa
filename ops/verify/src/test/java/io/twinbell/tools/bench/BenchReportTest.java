package io.twinbell.tools.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class BenchReportTest {
    @Test
    void a_run_whose_ledger_has_a_hole_has_failed_in_text_and_in_json() {
        BenchResults results = new BenchResults();
        results.add("drained", "drained in all", 41_234.4, "tasks/s");
        results.problem("1 slots are not in the ledger");
        BenchReport report = new BenchReport("drain", Map.of("machine", "2 x abacus"), results);

        assertFalse(report.passed());
        assertEquals(
                List.of(
                        "drain",
                        "  drained in all  41,234 tasks/s",
                        "  machine: 2 x abacus",
                        "  WRONG: 1 slots are not in the ledger",
                        "  FAILED"),
                report.lines());
        assertEquals(
                "{\"title\":\"drain\",\"passed\":false,\"verdict\":\"FAILED\","
                        + "\"figures\":[{\"name\":\"drained\",\"value\":41234.4,\"unit\":\"tasks/s\",\"label\":\"drained in all\"}],"
                        + "\"notes\":[],\"problems\":[\"1 slots are not in the ledger\"],"
                        + "\"environment\":{\"machine\":\"2 x abacus\"}}",
                report.json().toString());
    }

    @Test
    void percentiles_are_in_the_given_unit() {
        Histogram micros = new Histogram(3);
        for (int i = 1; i <= 100; i++) {
            micros.recordValue(i * 10);
        }
        BenchResults results = new BenchResults();
        results.add("arrival", "arrival after the fire time", micros, 0.001, "ms");

        assertEquals(
                List.of("arrivalP50", "arrivalP90", "arrivalP99", "arrivalP999", "arrivalMax"),
                results.figures().stream().map(BenchResults.Figure::name).toList());
        assertEquals(0.5, results.figures().get(0).value(), 1e-9);
        assertEquals(1, results.figures().get(4).value(), 1e-9);
    }

    @Test
    void executions_of_every_outcome_count_as_ended() throws Exception {
        BenchSite.MetricsPage page = BenchSite.MetricsPage.of("""
                # HELP twinbell_executions_total of something
                twinbell_executions_total{state="SUCCEEDED"} 5.0
                twinbell_executions_total{state="FAILED"} 2.0
                twinbell_duration_seconds_bucket{le="+Inf"} 7
                twinbell_heap_size 9.0
                """);

        assertEquals(7, page.ended());
        assertEquals(9, page.value("twinbell_heap_size"));
        assertThrows(BenchException.class, () -> page.value("twinbell_nothing"));
    }
}
