package io.twinbell.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.LoadState;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Each act, by real clicks; the API says whether it had its effect. */
@BrowserTest
class ConsoleActsTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final String LOG = "{\"type\":\"log\",\"message\":\"x\"}";
    private static final String HOURLY = "{\"every\":\"PT1H\"}";

    @Test
    void without_a_token_no_act_is_offered(DevelopmentPair pair, ConsoleWindow window) {
        long id = pair.task("acts-none", HOURLY, LOG);
        window.open("/", "Overview");
        assertThat(window.button("Switch over")).hasCount(0);
        window.open("/tasks/" + id, "acts-none");
        assertThat(window.button("Run now")).hasCount(0);
    }

    @Test
    void a_wrong_token_is_refused_and_the_right_one_signs_in_and_out(DevelopmentPair pair, ConsoleWindow window) {
        window.expectErrors("401");
        window.open("/", "Overview");
        window.click("Sign in");
        window.page().getByLabel("Token").fill("twb_wrong");
        Locator dialog = window.page().getByRole(AriaRole.DIALOG);
        dialog.locator("button.primary").click();
        assertThat(dialog.getByRole(AriaRole.ALERT)).containsText("the token is unknown");
        window.examine("sign-in");
        window.page().getByLabel("Token").fill(pair.token());
        dialog.locator("button.primary").click();
        assertThat(window.button("Switch over")).isVisible();
        window.click("Sign out");
        assertThat(window.button("Switch over")).hasCount(0);
    }

    @Test
    void a_page_that_needs_a_sign_in_keeps_what_is_typed_and_asks_nothing_more(ConsoleWindow window) {
        window.expectErrors("401");
        AtomicInteger refused = new AtomicInteger();
        window.page().clock().install();
        window.page().route(Pattern.compile("/api/v1/(?!session)"), route -> {
            refused.incrementAndGet();
            route.fulfill(new Route.FulfillOptions()
                    .setStatus(401)
                    .setContentType("application/problem+json")
                    .setBody("{\"status\":401,\"detail\":\"this node needs a token\"}"));
        });
        window.open("/", "Sign in");
        window.page().getByLabel("Token").fill("half a token");
        window.page().waitForLoadState(LoadState.NETWORKIDLE);
        int first = refused.get();
        window.page().clock().runFor(60_000);
        assertThat(window.page().getByLabel("Token")).hasValue("half a token");
        assertEquals(first, refused.get(), "requests without a token");
    }

    @Test
    void run_now_pause_and_resume_act_on_the_task(DevelopmentPair pair, ConsoleWindow window) {
        long id = pair.task("acts-task", HOURLY, LOG);
        window.signIn().open("/tasks/" + id, "acts-task");
        window.act("Run now", "tried by hand");
        assertThat(window.page().locator("svg.strip rect.succeeded")).hasCount(1);
        window.page().locator("#notice a").click();
        assertThat(window.main()).containsText("triggered: tried by hand");
        assertThat(window.main()).not().containsText("late.");
        window.open("/tasks/" + id, "acts-task");
        window.act("Pause", "the disk is full");
        assertThat(window.main()).containsText("PAUSED");
        assertThat(window.main()).containsText("the disk is full");
        assertEquals("PAUSED", task(pair, id).get("state").asText());
        window.act("Resume", "the disk is new");
        assertThat(window.button("Pause")).isVisible();
        assertEquals("ACTIVE", task(pair, id).get("state").asText());
        assertEquals("the disk is new", reason(pair, "kind=TASK&act=RESUME&object=" + id));
    }

    @Test
    void pausing_by_filter_counts_first_and_pauses_all(DevelopmentPair pair, ConsoleWindow window) {
        for (int i = 0; i < 3; i++) {
            pair.task("acts-bulk-" + i, HOURLY, LOG);
        }
        window.signIn().open("/tasks?q=acts-bulk", "Tasks");
        window.click("Pause all");
        Locator dialog = window.page().getByRole(AriaRole.DIALOG);
        assertThat(dialog).containsText("3 tasks match name acts-bulk");
        window.examine("pause-all");
        dialog.getByText("Cancel").click();
        assertThat(dialog).hasCount(0);
        window.act("Pause all", "moved to another cluster");
        assertThat(window.page().locator("tbody .badge.paused")).hasCount(3);
        window.act("Resume all", null);
        assertThat(window.page().locator("tbody .badge.active")).hasCount(3);
    }

    @Test
    void running_by_filter_counts_first_and_runs_each_task_once(DevelopmentPair pair, ConsoleWindow window) {
        long first = pair.task("bulk-run-1", "{\"every\":\"PT1H\"}", "{\"type\":\"log\",\"message\":\"x\"}");
        long second = pair.task("bulk-run-2", "{\"every\":\"PT1H\"}", "{\"type\":\"log\",\"message\":\"x\"}");
        window.signIn().open("/tasks?q=bulk-run", "Tasks");
        window.click("Run all now");
        Locator dialog = window.page().getByRole(AriaRole.DIALOG);
        assertThat(dialog).containsText("2 tasks match");
        dialog.locator("button.primary").click();
        assertThat(window.page().locator("#notice")).containsText("2 tasks run now.");
        for (long id : new long[] {first, second}) {
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> pair.get("/api/v1/tasks/" + id + "/executions?state=SUCCEEDED")
                                    .get("items")
                                    .size()
                            == 1);
        }
    }

    @Test
    void a_failed_execution_runs_again_and_a_running_one_is_cancelled(DevelopmentPair pair, ConsoleWindow window)
            throws IOException {
        // It takes connections and never answers.
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            pair.failedExecution("acts-fails");
            window.signIn().open("/executions?name=acts-fails", "Executions");
            window.page().locator("tbody a").first().click();
            window.act("Run again", null);
            assertThat(window.page().locator("dl.facts dd").first()).hasText("2");
            String url = "http://127.0.0.1:" + silent.getLocalPort() + "/";
            long id = pair.task(
                    "acts-runs",
                    "{\"in\":\"PT0S\"}",
                    "{\"type\":\"http\",\"url\":\"" + url + "\"}",
                    "\"timeout\":\"PT10M\"");
            window.open("/executions?task=" + id, "Executions");
            window.page().locator("tbody a").first().click();
            window.act("Cancel", "it would never end");
            assertThat(window.page().locator("h1 .badge")).hasText("CANCELLED");
        }
    }

    @Test
    void a_standing_pause_is_shown_at_its_tasks_and_ended_with_a_reason(DevelopmentPair pair, ConsoleWindow window) {
        long id = pair.task("acts-standing", HOURLY, LOG, "\"tags\":[\"acts-frozen\"]");
        pair.put("/api/v1/pauses/tag:acts-frozen", "{\"reason\":\"the quarter is closed\"}");
        window.signIn();
        assertThat(window.main()).containsText("tag:acts-frozen is paused: the quarter is closed");
        window.open("/tasks/" + id, "acts-standing");
        assertThat(window.page().locator("p.banner")).containsText("tag:acts-frozen is paused");
        window.follow("Standing pauses");
        window.shows("Limits");
        window.page()
                .locator("tr", new Page.LocatorOptions().setHasText("tag:acts-frozen"))
                .getByText("End")
                .click();
        Locator dialog = window.page().getByRole(AriaRole.DIALOG);
        dialog.getByLabel("Reason").fill("the quarter is open");
        dialog.locator("button.primary").click();
        assertThat(window.main()).not().containsText("tag:acts-frozen");
        assertEquals("the quarter is open", reason(pair, "kind=STANDING_PAUSE&act=RESUME"));
    }

    @Test
    void a_running_execution_shows_how_long_it_has_been_running(DevelopmentPair pair, ConsoleWindow window)
            throws IOException {
        // It takes connections and never answers.
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            String url = "http://127.0.0.1:" + silent.getLocalPort() + "/";
            long id = pair.task(
                    "acts-long",
                    "{\"in\":\"PT0S\"}",
                    "{\"type\":\"http\",\"url\":\"" + url + "\"}",
                    "\"timeout\":\"PT10M\"");
            window.signIn().open("/executions?task=" + id, "Executions");
            Locator elapsed = window.page().locator(".elapsed");
            assertThat(elapsed).containsText("so far");
            window.page().locator("tbody a").first().click();
            assertThat(elapsed).hasText(Pattern.compile("^[3-9].s so far"));
            window.click("Cancel");
            Locator dialog = window.page().getByRole(AriaRole.DIALOG);
            dialog.getByText("Back").click();
            assertThat(dialog).hasCount(0);
            window.act("Cancel", "it would never end");
            assertThat(elapsed).hasCount(0);
        }
    }

    @Test
    void deleting_by_filter_counts_first_and_dead_letters_run_again_together(
            DevelopmentPair pair, ConsoleWindow window) {
        for (int i = 0; i < 2; i++) {
            pair.task("acts-gone-" + i, HOURLY, LOG);
        }
        pair.failedExecution("acts-dead");
        window.signIn().open("/tasks?q=acts-gone", "Tasks");
        assertThat(window.page().locator("tbody tr").first()).containsText("every 1 hour");
        window.click("Delete all");
        Locator dialog = window.page().getByRole(AriaRole.DIALOG);
        assertThat(dialog).containsText("2 tasks match name acts-gone");
        dialog.locator("button.primary").click();
        assertThat(dialog).isVisible();
        dialog.getByLabel("Reason").fill("the shop is closed");
        dialog.locator("button.primary").click();
        assertThat(window.main()).containsText("No task matches.");
        assertThat(window.page().locator("#notice")).containsText("2 tasks are deleted.");
        assertEquals("the shop is closed", reason(pair, "kind=TASK&act=REMOVE&app=console"));
        window.open("/executions?name=acts-dead&state=FAILED", "Executions");
        window.act("Run all again", "the receiver is back");
        assertThat(window.page().locator("#notice")).containsText("1 execution runs again.");
    }

    @Test
    void a_test_of_an_alert_is_sent_and_its_delivery_shown(DevelopmentPair pair, ConsoleWindow window) {
        pair.put("/api/v1/alerts/on-failure", "{\"on\":[\"FAILED\"],\"webhook\":{\"url\":\"http://127.0.0.1:1/x\"}}");
        window.signIn().open("/rules", "Limits");
        window.follow("on-failure");
        window.shows("on-failure");
        window.act("Send a test", null);
        assertThat(window.page().locator("tbody tr")).hasCount(1);
        assertThat(window.page().locator("tbody tr")).containsText("127.0.0.1");
        window.examine("alert");
    }

    @Test
    void firing_is_paused_and_takeover_held_with_a_reason(DevelopmentPair pair, ConsoleWindow window) {
        window.signIn();
        try {
            window.act("Pause firing", "the database moves");
            assertThat(window.main()).containsText("Firing is paused");
            assertThat(window.main()).containsText("the database moves");
            assertEquals("the admin token", pair.cluster().at("/pause/by").asText());
            window.act("Hold takeover", "the network is rebuilt");
            assertThat(window.main()).containsText("Automatic takeover is on hold");
            window.examine("overview-paused");
            window.act("End the hold", "the network is back");
            window.act("Resume firing", "the database has moved");
            assertThat(window.main()).not().containsText("Firing is paused");
            assertEquals("the network is back", reason(pair, "kind=HOLD&act=RELEASE"));
            assertEquals("the database has moved", reason(pair, "kind=PAUSE&act=RESUME"));
            assertTrue(pair.cluster().get("pause").isNull());
            assertTrue(pair.cluster().get("hold").isNull());
        } finally {
            pair.send("POST", "/api/v1/cluster/resume", "{}", 200, 204);
            pair.send("POST", "/api/v1/cluster/release", "{}", 200, 204);
        }
    }

    @Test
    void switching_over_moves_the_role_while_the_page_is_open(DevelopmentPair pair, ConsoleWindow window) {
        String before = pair.master();
        String after = before.equals("a") ? "b" : "a";
        window.signIn();
        window.act("Switch over", "the host is serviced");
        assertThat(window.page().locator(".verdict .answer").first()).containsText("Node " + after);
        assertEquals(after, pair.master());
        await().atMost(LONG)
                .until(() -> pair.cluster().at("/failoverReady/ready").asBoolean());
    }

    @Test
    void the_keyboard_reaches_every_page_and_the_search(ConsoleWindow window) {
        window.open("/", "Overview");
        for (String[] page : new String[][] {
            {"t", "Tasks"},
            {"e", "Executions"},
            {"a", "Audit"},
            {"r", "Limits"},
            {"c", "Cluster"},
            {"l", "Timeline"},
            {"o", "Overview"}
        }) {
            window.page().keyboard().press("g");
            window.page().keyboard().press(page[0]);
            window.shows(page[1]);
        }
        window.page().keyboard().press("?");
        Locator dialog = window.page().getByRole(AriaRole.DIALOG);
        assertThat(dialog).containsText("go to Tasks");
        window.examine("keyboard");
        window.page().keyboard().press("Escape");
        assertThat(dialog).hasCount(0);
        window.open("/tasks", "Tasks");
        window.page().keyboard().press("/");
        assertThat(window.page().locator("#search")).isFocused();
    }

    @Test
    void the_switches_change_the_zone_and_the_colours_and_last(DevelopmentPair pair, ConsoleWindow window) {
        long id = pair.task("acts-zone", "{\"at\":\"2030-01-01T00:00:00.000Z\"}", LOG);
        window.open("/tasks/" + id, "acts-zone");
        assertThat(window.main()).containsText("2030-01-01 01:00:00");
        window.click("Times: local");
        assertThat(window.main()).containsText("2030-01-01 00:00:00");
        window.click("Colours: light");
        window.page().reload();
        assertThat(window.main()).containsText("2030-01-01 00:00:00");
        assertEquals("dark", window.page().evaluate("document.documentElement.dataset.theme"));
    }

    /** The reason of the latest entry that matches. */
    private static String reason(DevelopmentPair pair, String query) {
        return pair.get("/api/v1/audit?limit=1&" + query).at("/items/0/detail").asText();
    }

    private static JsonNode task(DevelopmentPair pair, long id) {
        return pair.get("/api/v1/tasks/" + id);
    }
}
