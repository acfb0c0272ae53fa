package io.twinbell.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.microsoft.playwright.Locator;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The console shows a failover without interruption. */
@BrowserTest
class ConsoleFailoverTest {
    /** The last is of a page that meets a node which was down when it was loaded. */
    private static final String LOST = "ERR_|Failed to load|Content Security Policy";

    @Test
    void when_its_node_is_killed_the_page_continues_at_the_other_one(DevelopmentPair pair, ConsoleWindow window) {
        String killed = pair.master();
        String survivor = killed.equals("a") ? "b" : "a";
        window.expectErrors(LOST);
        window.at(killed).signIn();
        assertThat(window.page().locator(".live.on")).isVisible();
        window.open("/", "Overview");
        pair.kill(killed);
        try {
            window.page().waitForURL(url -> url.startsWith(pair.url(survivor) + "/#/"));
            assertThat(window.page().locator("#notice")).containsText("stopped answering");
            assertThat(window.page().locator(".verdict .answer").first()).containsText("Node " + survivor);
            assertThat(window.main()).containsText("No standby");
            assertThat(window.button("Sign out")).isVisible();
            assertThat(window.page().locator(".live.on")).isVisible();
            window.examine("overview-failover");
        } finally {
            pair.start(killed);
        }
        assertThat(window.page().locator(".node .badge.standby")).isVisible();
        assertEquals(survivor, pair.master());
    }

    @Test
    void while_the_database_does_not_answer_every_page_says_why_nothing_fires(
            DevelopmentPair pair, ConsoleWindow window) {
        Locator alarm = window.main().locator(".banner.alarm");
        String why = "NOTHING FIRES: node " + pair.master() + " is master and does not fire:";
        window.expectErrors("503");
        pair.freezeDatabase();
        try {
            window.open("/", "Overview");
            assertThat(alarm).containsText(why);
            assertThat(window.page().locator(".live.off")).hasText("no database");
            assertThat(window.main()).containsText("Not known while the database does not answer.");
            window.examine("overview-without-database");
            window.open("/tasks", "Tasks");
            assertThat(alarm).containsText(why);
            window.examine("tasks-without-database");
        } finally {
            pair.thawDatabase();
        }
        assertThat(alarm).hasCount(0);
        assertThat(window.page().locator("#field-app")).isVisible();
    }

    @Test
    void a_page_that_was_loaded_while_the_other_node_was_down_reaches_it_later(
            DevelopmentPair pair, ConsoleWindow window) {
        String first = pair.master();
        String other = first.equals("a") ? "b" : "a";
        window.expectErrors(LOST);
        pair.kill(other);
        try {
            // Its entry in ZooKeeper outlives it by the session.
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> pair.cluster().get("nodes").size() == 1);
            window.at(first).open("/", "Overview");
            assertThat(window.main()).containsText("No standby");
            window.page().evaluate("window.isFirstLoad = true");
        } finally {
            pair.start(other);
        }
        assertThat(window.page().locator(".node .badge.standby")).isVisible();
        // A request of the test to the other node would itself make the page load again.
        window.page().waitForFunction("() => !window.isFirstLoad");
        pair.kill(first);
        try {
            window.page().waitForURL(url -> url.startsWith(pair.url(other) + "/#/"));
        } finally {
            pair.start(first);
        }
    }

    @Test
    void when_no_node_answers_the_page_says_so_and_recovers(DevelopmentPair pair, ConsoleWindow window) {
        window.expectErrors(LOST);
        window.open("/tasks", "Tasks");
        window.page().context().setOffline(true);
        assertThat(window.page().locator("#notice")).containsText("Not live");
        assertThat(window.page().locator(".live.off")).isVisible();
        window.examine("offline");
        window.page().context().setOffline(false);
        assertThat(window.page().locator("#notice p")).hasCount(0);
        assertThat(window.page().locator(".live.on")).isVisible();
    }
}
