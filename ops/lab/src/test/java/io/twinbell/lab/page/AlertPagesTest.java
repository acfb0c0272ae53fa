package io.twinbell.lab.page;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.twinbell.lab.fault.Fault;
import io.twinbell.lab.fault.catalog.Faults;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class AlertPagesTest {
    @Test
    void each_page_level_alert_of_the_shipped_rules_has_a_drill_and_no_drill_expects_another() throws Exception {
        String rules = new String(
                AlertPages.class.getResourceAsStream("prometheus-rules.yaml").readAllBytes(), StandardCharsets.UTF_8);
        Set<String> pages = Pattern.compile("- alert: (\\w+)(?:(?!- alert:).)*?severity: page", Pattern.DOTALL)
                .matcher(rules)
                .results()
                .map(alert -> alert.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> drilled = Faults.ALL.stream()
                .map(Fault::pages)
                .flatMap(Set::stream)
                .collect(Collectors.toCollection(TreeSet::new));
        // A drill judges the outcomes of its tasks, so none makes all of them fail; two primaries are one of its steps.
        drilled.addAll(Set.of("TwinbellTasksFail", "TwinbellTwoPrimaries"));
        assertEquals(pages, drilled);
    }

    @Test
    void scrapes_become_series_and_a_node_that_did_not_answer_is_down_and_stale() {
        Map<String, String> leads = Scraper.values("# HELP twinbell_leader x\ntwinbell_leader 1.0\nother 3\n");
        assertEquals(Map.of("twinbell_leader", "1.0"), leads);
        String story = AlertPages.story(
                List.of(new Scraper.Scrape(0, Map.of("a", leads)), new Scraper.Scrape(5000, Map.of("a", Map.of()))));
        assertEquals("""
                rule_files: [prometheus-rules.yaml]
                evaluation_interval: 5s
                tests:
                - interval: 5s
                  input_series:
                  - series: 'up{job="twinbell",instance="a"}'
                    values: '1 0'
                  - series: 'twinbell_leader{job="twinbell",instance="a"}'
                    values: '1.0 stale'
                  promql_expr_test:
                  - {expr: 'ALERTS{alertstate="firing",severity="page"}', eval_time: 0s, exp_samples: []}
                  - {expr: 'ALERTS{alertstate="firing",severity="page"}', eval_time: 5s, exp_samples: []}
                """, story);
    }

    @Test
    void the_alerts_of_each_step_are_read_from_promtools_answer() {
        String answer = """
                  FAILED:
                    expr: "ALERTS{alertstate=\\"firing\\",severity=\\"page\\"}", time: 30s,
                        exp: nil
                        got: {__name__="ALERTS", alertname="TwinbellNoLeader", job="twinbell", severity="page"} 1E+00
                    expr: "ALERTS{alertstate=\\"firing\\",severity=\\"page\\"}", time: 1m35s,
                        exp: nil
                        got: {__name__="ALERTS", alertname="TwinbellLag"} 1E+00, {alertname="TwinbellNoLeader"} 1E+00
                """;
        assertEquals(
                Map.of(6, Set.of("TwinbellNoLeader"), 19, Set.of("TwinbellLag", "TwinbellNoLeader")),
                AlertPages.ringing(answer));
    }
}
