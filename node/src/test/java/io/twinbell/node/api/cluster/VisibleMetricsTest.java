package io.twinbell.node.api.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.access.AccessPolicy;
import io.twinbell.node.access.AccessRole;
import io.twinbell.node.access.Principal;
import io.twinbell.node.api.ApiFixture;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What a principal that is bound to an app sees of the pair's numbers. */
class VisibleMetricsTest {
    private static final Principal SHOP = new Principal("token shop", AccessRole.VIEWER, Set.of("shop"), Set.of());
    private static final Principal ALL = new Principal("token all", AccessRole.VIEWER, Set.of(), Set.of());

    @Test
    void a_bound_principal_gets_its_own_series_and_the_state_of_the_pair_but_no_totals() {
        String metrics = """
                # TYPE twinbell_leader gauge
                twinbell_leader 1
                twinbell_takeover_verdicts_total{verdict="DEAD"} 0.0
                twinbell_executions_total{state="SUCCEEDED"} 12.0
                twinbell_lateness_seconds_count 12
                twinbell_app_executions_total{app="shop",state="SUCCEEDED"} 2.0
                twinbell_app_executions_total{app="bank",state="SUCCEEDED"} 10.0
                twinbell_app_lateness_seconds_count 3
                twinbell_heap_size 7
                """;
        assertEquals("""
                # TYPE twinbell_leader gauge
                twinbell_leader 1
                twinbell_takeover_verdicts_total{verdict="DEAD"} 0.0
                twinbell_app_executions_total{app="shop",state="SUCCEEDED"} 2.0
                """, VisibleMetrics.of(SHOP, metrics));
        assertEquals(metrics, VisibleMetrics.of(ALL, metrics));
    }

    @Test
    void the_state_of_the_pair_has_totals_only_for_those_who_see_all_apps() throws Exception {
        AccessPolicy policy = new AccessPolicy(
                Optional.empty(), List.of(token -> Optional.of(token.equals("shop") ? SHOP : ALL)), "");
        List<String> totals = List.of("heapSize", "workers", "parkedRuns", "slotsInDoubt");
        try (ApiFixture api = new ApiFixture(policy)) {
            for (String path : List.of("/api/v1/cluster", "/api/v1/cluster/self")) {
                String own = get(api, path, "shop");
                String whole = get(api, path, "all");
                assertTrue(own.contains("\"databaseReached\":true"), own);
                for (String total : totals) {
                    assertFalse(own.contains(total), total + " in " + own);
                    assertTrue(whole.contains(total), total + " not in " + whole);
                }
            }
            assertFalse(get(api, "/api/v1/cluster", "shop").contains("inDoubt"));
            assertTrue(get(api, "/api/v1/cluster", "all").contains("inDoubt"));
        }
    }

    private static String get(ApiFixture api, String path, String token) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(api.url() + path))
                .header("Authorization", "Bearer " + token)
                .build();
        return HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).body();
    }
}
