package io.twinbell.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.deque.html.axecore.playwright.AxeBuilder;
import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import java.nio.file.Path;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A window with the console of a node. It notes every request that leaves the pair, and every error of the page. */
final class ConsoleWindow {
    private static final List<String> WCAG = List.of("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa");
    private static final Path PICTURES = Path.of("target", "screenshots");
    private static final int WIDE = 1280;
    private static final int PHONE = 390;

    /** The reader's zone. */
    static final ZoneId ZONE = ZoneId.of("Europe/Berlin");

    private static final double PATIENCE_MILLIS = 20_000;

    private final DevelopmentPair pair;
    private final BrowserContext context;
    private final Page page;
    private final List<String> errors = new CopyOnWriteArrayList<>();
    private final List<String> strayRequests = new CopyOnWriteArrayList<>();
    private Pattern expectedErrors = Pattern.compile("(?!)");
    private String node = "a";

    ConsoleWindow(Browser browser, DevelopmentPair pair) {
        this.pair = pair;
        context = browser.newContext(new Browser.NewContextOptions()
                .setViewportSize(WIDE, 900)
                .setTimezoneId(ZONE.getId())
                .setLocale("en-GB"));
        context.setDefaultTimeout(PATIENCE_MILLIS);
        page = context.newPage();
        page.onConsoleMessage(message -> {
            if (message.type().equals("error")) {
                errors.add(message.text() + " " + message.location());
            }
        });
        page.onPageError(errors::add);
        page.onRequest(request -> {
            if (Stream.of("a", "b").noneMatch(id -> request.url().startsWith(pair.url(id) + "/"))) {
                strayRequests.add(request.url());
            }
        });
        com.microsoft.playwright.assertions.PlaywrightAssertions.setDefaultAssertionTimeout(PATIENCE_MILLIS);
    }

    Page page() {
        return page;
    }

    /** The node whose console is opened. */
    ConsoleWindow at(String id) {
        node = id;
        return this;
    }

    /** Opens a page by its address and waits for its heading. */
    ConsoleWindow open(String path, String heading) {
        page.navigate(pair.url(node) + "/#" + path);
        return shows(heading);
    }

    ConsoleWindow shows(String heading) {
        assertThat(page.getByRole(AriaRole.HEADING, new Page.GetByRoleOptions().setLevel(1)))
                .containsText(heading);
        return this;
    }

    ConsoleWindow signIn() {
        return signIn(pair.token());
    }

    ConsoleWindow signIn(String token) {
        page.navigate(pair.url(node) + "/");
        click("Sign in");
        page.getByLabel("Token").fill(token);
        page.getByRole(AriaRole.DIALOG).locator("button.primary").click();
        assertThat(button("Sign out")).isVisible();
        return this;
    }

    Locator button(String name) {
        return page.getByRole(
                AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true));
    }

    void click(String button) {
        button(button).click();
    }

    /** Follows a link of the page. */
    void follow(String link) {
        page.getByRole(AriaRole.LINK, new Page.GetByRoleOptions().setName(link).setExact(true))
                .first()
                .click();
    }

    /** Clicks an act, gives a reason if the dialog asks for one, confirms, and waits until it is done. */
    void act(String button, String reason) {
        click(button);
        Locator dialog = page.getByRole(AriaRole.DIALOG);
        assertThat(dialog).isVisible();
        if (reason != null) {
            dialog.getByLabel("Reason").fill(reason);
        }
        dialog.locator("button.primary").click();
        assertThat(dialog).hasCount(0);
        assertThat(page.locator("#notice p:not(.bad)")).isVisible();
    }

    Locator main() {
        return page.locator("main");
    }

    /** Errors whose text matches do not count, such as those of requests that a test lets fail. */
    void expectErrors(String pattern) {
        expectedErrors = Pattern.compile(pattern);
    }

    /** Takes screenshots and checks accessibility with axe: in light and dark colours, and as wide as a phone. */
    void examine(String name) {
        look(name, "light", ColorScheme.LIGHT, WIDE);
        look(name, "dark", ColorScheme.DARK, WIDE);
        look(name, "phone", ColorScheme.LIGHT, PHONE);
        page.setViewportSize(WIDE, 900);
    }

    private void look(String name, String kind, ColorScheme colours, int width) {
        page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(colours));
        page.setViewportSize(width, 900);
        page.screenshot(new Page.ScreenshotOptions()
                .setPath(PICTURES.resolve(name + "-" + kind + ".png"))
                .setFullPage(true));
        List<String> found = new AxeBuilder(page)
                .withTags(WCAG).setLegacyMode(true).analyze().getViolations().stream()
                        .map(rule -> rule.getId() + ": " + rule.getHelp() + " at "
                                + rule.getNodes().stream()
                                        .limit(3)
                                        .map(at -> at.getHtml())
                                        .toList())
                        .toList();
        assertEquals(List.of(), found, name + " " + kind);
        Object overflow = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
        assertEquals(Map.of("overflow", 0), Map.of("overflow", overflow), name + " " + kind + " scrolls sideways");
    }

    /** Closes the window. A test that passed fails here if the page had an error, or asked anybody but the pair. */
    void end(boolean hasPassed) {
        if (!hasPassed) {
            page.screenshot(new Page.ScreenshotOptions()
                    .setPath(PICTURES.resolve("failed.png"))
                    .setFullPage(true));
        }
        context.close();
        if (hasPassed) {
            assertEquals(List.of(), strayRequests, "requests that leave the pair");
            assertEquals(
                    List.of(),
                    errors.stream()
                            .filter(error -> !expectedErrors.matcher(error).find())
                            .toList(),
                    "errors of the page");
        }
    }
}
