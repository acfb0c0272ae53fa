package io.twinbell.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.microsoft.playwright.Keyboard;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Signing in and acting by the keyboard alone. No test of this class uses a pointer or sets the focus by script. */
@BrowserTest
class ConsoleKeyboardTest {
    private static final int MOST_STEPS = 120;
    private static final String LOG = "{\"type\":\"log\",\"message\":\"x\"}";

    /** The text by which the focused element is known to the user: its label, or what it says. */
    private static final String NAME_OF_FOCUS = """
            () => {
              const at = document.activeElement;
              return (at.getAttribute('aria-label') || at.labels?.[0]?.textContent || at.textContent || '').trim();
            }""";

    private static final String FOCUS_IS_VISIBLE = """
            () => {
              const style = getComputedStyle(document.activeElement);
              const box = document.activeElement.getBoundingClientRect();
              return style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2
                && box.bottom > 0 && box.top < innerHeight;
            }""";

    private static Keyboard keys(ConsoleWindow window) {
        return window.page().keyboard();
    }

    private static String focused(ConsoleWindow window) {
        return window.page().evaluate(NAME_OF_FOCUS).toString();
    }

    /** Presses Tab until the element of this name has the focus, and checks that the focus can be seen there. */
    private static void tabTo(ConsoleWindow window, String name) {
        List<String> passed = new ArrayList<>();
        for (int step = 0; step < MOST_STEPS; step++) {
            keys(window).press("Tab");
            String now = focused(window);
            passed.add(now);
            if (now.equals(name)) {
                assertTrue(
                        (Boolean) window.page().evaluate(FOCUS_IS_VISIBLE), "the focus on " + name + " is not visible");
                return;
            }
        }
        throw new AssertionError("Tab does not reach " + name + ", only " + passed);
    }

    private static void press(ConsoleWindow window, String name) {
        tabTo(window, name);
        keys(window).press("Enter");
    }

    /** Opens the dialog of an act, gives a reason, confirms, and checks where the focus is then. */
    private static void act(ConsoleWindow window, String name, String reason, String focusAfter) {
        press(window, name);
        Locator dialog = window.page().getByRole(AriaRole.DIALOG);
        assertThat(dialog).isVisible();
        assertThat(dialog.locator("input:focus")).hasCount(1);
        keys(window).type(reason);
        keys(window).press("Enter");
        assertThat(dialog).hasCount(0);
        assertThat(window.page().locator("#notice p:not(.bad)")).isVisible();
        window.page().waitForCondition(() -> focused(window).equals(focusAfter));
    }

    private static void signIn(ConsoleWindow window, String token) {
        window.open("/", "Overview");
        press(window, "Sign in");
        assertThat(window.page().locator("#token")).isFocused();
        keys(window).type(token);
        keys(window).press("Enter");
        assertThat(window.button("Sign out")).isVisible();
    }

    @Test
    void a_task_is_found_run_paused_resumed_edited_and_deleted(DevelopmentPair pair, ConsoleWindow window) {
        window.expectErrors("404");
        long id = pair.task("keys-task", "{\"every\":\"PT1H\"}", LOG);
        signIn(window, pair.token());
        keys(window).press("g");
        keys(window).press("t");
        window.shows("Tasks");
        keys(window).press("/");
        assertThat(window.page().locator("#search")).isFocused();
        keys(window).type("keys-task");
        keys(window).press("Enter");
        assertThat(window.page().locator("tbody tr")).hasCount(1);
        press(window, "console / keys-task");
        window.shows("keys-task");
        act(window, "Run now", "by keyboard", "Run now");
        assertThat(window.page().locator("svg.strip rect.succeeded")).hasCount(1);
        act(window, "Pause", "by keyboard", "Resume");
        assertThat(window.main()).containsText("PAUSED");
        keys(window).press("Shift+Tab");
        act(window, "Resume", "by keyboard", "Pause");
        press(window, "Edit");
        window.shows("Edit console / keys-task");
        tabTo(window, "Owner");
        keys(window).type("night shift");
        press(window, "Save");
        assertThat(window.page().locator("#notice")).containsText("Saved.");
        assertEquals("night shift", pair.get("/api/v1/tasks/" + id).get("owner").asText());
        press(window, "Delete");
        keys(window).type("by keyboard");
        keys(window).press("Enter");
        window.shows("Tasks");
        pair.send("GET", "/api/v1/tasks/" + id, null, 404);
        assertEquals(
                "by keyboard",
                pair.get("/api/v1/audit?kind=TASK&act=REMOVE&limit=1&object=" + id)
                        .at("/items/0/detail")
                        .asText());
    }

    @Test
    void takeover_is_held_and_released_and_a_dialog_is_left_without_an_act(DevelopmentPair pair, ConsoleWindow window) {
        signIn(window, pair.token());
        try {
            press(window, "Switch over");
            Locator dialog = window.page().getByRole(AriaRole.DIALOG);
            assertThat(dialog).isVisible();
            keys(window).press("Escape");
            assertThat(dialog).hasCount(0);
            assertEquals("Switch over", focused(window));
            act(window, "Hold takeover", "by keyboard", "End the hold");
            keys(window).press("Shift+Tab");
            act(window, "End the hold", "the network is back", "Hold takeover");
            assertTrue(pair.cluster().get("hold").isNull());
        } finally {
            pair.send("POST", "/api/v1/cluster/release", "{}", 200, 204);
        }
    }

    @Test
    void the_link_to_the_content_and_the_help_work(ConsoleWindow window) {
        window.open("/executions", "Executions");
        press(window, "Skip to the content");
        assertEquals("main", window.page().evaluate("document.activeElement.id"));
        keys(window).press("?");
        Locator dialog = window.page().getByRole(AriaRole.DIALOG, new Page.GetByRoleOptions().setName("Keyboard"));
        assertThat(dialog).isVisible();
        keys(window).press("Enter");
        assertThat(dialog).hasCount(0);
    }
}
