package io.twinbell.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.microsoft.playwright.Dialog;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.AriaRole;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Creating, copying, changing and removing a task; the API says what is stored. */
@BrowserTest
class ConsoleEditorTest {
    private static final String LOG = "{\"type\":\"log\",\"message\":\"x\"}";

    @Test
    void a_new_task_is_previewed_while_typing_and_then_created(DevelopmentPair pair, ConsoleWindow window) {
        window.signIn().open("/tasks", "Tasks");
        window.follow("New task");
        window.shows("New task");
        Locator fires = window.page().locator(".side .fires li");
        label(window, "Schedule").selectOption("every");
        label(window, "Every").fill("PT7M");
        assertThat(window.page().locator(".side .words")).hasText("every 7 minutes");
        assertThat(fires).hasCount(8);
        label(window, "App").fill("console");
        label(window, "Name").fill("edit-created");
        label(window, "Handler").selectOption("log");
        label(window, "Message").fill("good morning");
        label(window, "Misfire, policy").selectOption("FIRE_ALL");
        assertThat(window.main()).containsText("FIRE_ALL runs up to max");
        assertThat(window.main()).containsText("The node would accept this definition.");
        label(window, "Retry, max attempts").fill("3");
        label(window, "Retry, multiplier").fill("1.5");
        window.examine("new-task");
        window.click("Create");
        window.shows("edit-created");
        assertThat(window.page().locator("#notice")).containsText("Created.");
        JsonNode stored = pair.get("/api/v1/apps/console/tasks/edit-created");
        assertEquals("PT7M", stored.at("/schedule/every").asText());
        assertEquals("good morning", stored.at("/handler/message").asText());
        assertEquals("FIRE_ALL", stored.at("/misfire/policy").asText());
        assertEquals(1.5, stored.at("/retry/multiplier").asDouble());
    }

    @Test
    void the_problem_stands_at_the_field_in_the_words_of_the_node(ConsoleWindow window) {
        window.expectErrors("400");
        window.signIn().open("/tasks/new", "New task");
        label(window, "Expression").fill("61 2 * * *");
        Locator note = window.page().locator("[id$=schedule-cron-note]");
        assertThat(note).containsText("61");
        assertThat(label(window, "Expression")).hasAttribute("aria-invalid", "true");
        window.click("Create");
        assertThat(window.page().locator("[id$=handler-url-note].wrong")).isVisible();
        window.examine("new-task-problems");
        label(window, "Expression").fill("59 2 * * *");
        assertThat(label(window, "Expression")).not().hasAttribute("aria-invalid", "true");
    }

    @Test
    void an_edit_shows_the_old_and_the_new_fire_times_before_it_is_saved(DevelopmentPair pair, ConsoleWindow window) {
        long id = pair.task("edit-changed", "{\"cron\":\"0 3 * * *\",\"zone\":\"Europe/Berlin\"}", LOG);
        window.signIn().open("/tasks/" + id, "edit-changed");
        window.follow("Edit");
        label(window, "Expression").fill("0 4 * * *");
        label(window, "Owner").fill("ops");
        assertThat(window.page().locator(".fires .differs")).hasCount(16);
        assertThat(window.main()).containsText("Changes: schedule, owner.");
        window.examine("edit-task");
        window.click("Save");
        assertThat(window.page().locator("#notice")).containsText("Saved.");
        JsonNode stored = pair.get("/api/v1/tasks/" + id);
        assertEquals("0 4 * * *", stored.at("/schedule/cron").asText());
        assertEquals("Europe/Berlin", stored.at("/schedule/zone").asText());
        assertEquals("ops", stored.get("owner").asText());
    }

    @Test
    void a_concurrent_change_is_shown_and_both_are_kept(DevelopmentPair pair, ConsoleWindow window) {
        window.expectErrors("409");
        long id = pair.task("edit-conflict", "{\"every\":\"PT1H\"}", LOG);
        window.signIn().open("/tasks/" + id + "/edit", "edit-conflict");
        label(window, "Every").fill("PT2H");
        pair.send("PATCH", "/api/v1/tasks/" + id, "{\"owner\":\"somebody\"}", 200);
        window.click("Save");
        Locator alarm = window.page().getByRole(AriaRole.ALERT);
        assertThat(alarm).containsText("The other user changed: owner. You changed: schedule.");
        window.examine("edit-conflict");
        window.click("Put my changes on theirs");
        assertThat(alarm).hasCount(0);
        window.click("Save");
        assertThat(window.page().locator("#notice")).containsText("Saved.");
        JsonNode stored = pair.get("/api/v1/tasks/" + id);
        assertEquals("PT2H", stored.at("/schedule/every").asText());
        assertEquals("somebody", stored.get("owner").asText());
    }

    @Test
    void a_copy_is_edited_as_json_and_created(DevelopmentPair pair, ConsoleWindow window) {
        long id = pair.task("edit-original", "{\"every\":\"PT1H\"}", LOG, "\"priority\":8");
        window.signIn().open("/tasks/" + id, "edit-original");
        window.follow("Copy");
        window.shows("Copy of");
        window.click("JSON");
        Locator source = label(window, "As JSON");
        source.fill("{\"app\":");
        assertThat(window.page().locator(".note.wrong")).isVisible();
        source.fill(
                "{\"app\":\"console\",\"name\":\"edit-copy\",\"priority\":8,\"schedule\":{\"every\":\"PT3H\"},\"handler\":"
                        + LOG + "}");
        window.click("Form");
        assertThat(label(window, "Every")).hasValue("PT3H");
        window.click("Create");
        window.shows("edit-copy");
        assertEquals(
                8,
                pair.get("/api/v1/apps/console/tasks/edit-copy").get("priority").asInt());
    }

    @Test
    void a_task_is_edited_as_yaml_and_checked_while_typing(DevelopmentPair pair, ConsoleWindow window) {
        window.expectErrors("400");
        long id = pair.task("edit-yaml", "{\"cron\":\"0 3 * * *\"}", LOG, "\"data\":{\"on\":\"yes\",\"n\":\"007\"}");
        window.signIn().open("/tasks/" + id + "/edit", "edit-yaml");
        window.click("YAML");
        Locator source = label(window, "As YAML");
        String written = source.inputValue();
        source.fill(written + "  wrong: [");
        assertThat(window.page().locator(".note.wrong")).containsText("in line");
        source.fill(written.replace("0 3 * * *", "61 3 * * *"));
        assertThat(window.page().locator(".side")).containsText("/schedule/cron");
        source.fill(written.replace("0 3 * * *", "0 4 * * *") + "owner: ops\n");
        assertThat(window.main()).containsText("Changes: schedule, owner.");
        window.examine("edit-yaml");
        window.click("Save");
        assertThat(window.page().locator("#notice")).containsText("Saved.");
        JsonNode stored = pair.get("/api/v1/tasks/" + id);
        assertEquals("0 4 * * *", stored.at("/schedule/cron").asText());
        assertEquals("yes", stored.at("/data/on").asText());
        assertEquals("\"007\"", stored.at("/data/n").toString());
    }

    @Test
    void run_now_takes_other_data_and_a_task_is_deleted(DevelopmentPair pair, ConsoleWindow window) throws IOException {
        window.expectErrors("404");
        BlockingQueue<String> received = new LinkedBlockingQueue<>();
        HttpServer receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        receiver.createContext("/", exchange -> {
            received.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        receiver.start();
        try {
            String url = "http://127.0.0.1:" + receiver.getAddress().getPort() + "/";
            long id = pair.task(
                    "edit-run",
                    "{\"every\":\"PT1H\"}",
                    "{\"type\":\"http\",\"url\":\"" + url + "\",\"body\":\"word ${data.word}\"}",
                    "\"data\":{\"word\":\"own\"}");
            window.signIn().open("/tasks/" + id, "edit-run");
            window.click("Run now");
            Locator dialog = window.page().getByRole(AriaRole.DIALOG);
            dialog.getByLabel("Data for this run").fill("{\"word\":");
            dialog.locator("button.primary").click();
            assertThat(dialog.getByRole(AriaRole.ALERT)).containsText("The data is not JSON");
            window.examine("run-now");
            dialog.getByLabel("Data for this run").fill("{\"word\":\"other\"}");
            dialog.locator("button.primary").click();
            assertThat(window.page().locator("#notice")).containsText("It runs now: the execution of");
            await().atMost(Duration.ofSeconds(30)).until(() -> "word other".equals(received.peek()));
            window.act("Delete", "it is replaced");
            window.shows("Tasks");
            assertThat(window.page().locator("#notice")).containsText("console / edit-run is deleted.");
            pair.send("GET", "/api/v1/tasks/" + id, null, 404);
        } finally {
            receiver.stop(0);
        }
    }

    @Test
    void an_editor_of_one_app_creates_a_task_in_this_app_only(DevelopmentPair pair, ConsoleWindow window) {
        window.expectErrors("403");
        String token = pair.send(
                        "POST",
                        "/api/v1/tokens",
                        "{\"name\":\"edit-bound\",\"role\":\"EDITOR\",\"apps\":[\"bound\"]}",
                        201)
                .get("token")
                .asText();
        window.signIn(token).open("/tasks", "Tasks");
        window.follow("New task");
        assertThat(label(window, "App")).hasValue("bound");
        label(window, "Name").fill("edit-bound");
        label(window, "Handler").selectOption("log");
        label(window, "Message").fill("x");
        label(window, "App").fill("other");
        assertThat(window.page().locator(".side")).containsText("has no access to the app \"other\"");
        label(window, "App").fill("bound");
        window.click("Create");
        window.shows("edit-bound");
        assertThat(window.page().locator("#notice")).containsText("Created.");
    }

    @Test
    void signing_in_again_keeps_what_is_typed(DevelopmentPair pair, ConsoleWindow window) {
        window.expectErrors("401");
        long id = pair.task("edit-session", "{\"every\":\"PT1H\"}", LOG);
        window.signIn().open("/tasks/" + id + "/edit", "edit-session");
        label(window, "Every").fill("PT2H");
        window.page().context().clearCookies();
        window.click("Save");
        Locator dialog = window.page().getByRole(AriaRole.DIALOG);
        dialog.getByLabel("Token").fill(pair.token());
        dialog.locator("button.primary").click();
        assertThat(dialog).hasCount(0);
        assertThat(label(window, "Every")).hasValue("PT2H");
        assertThat(window.page().locator(".side")).containsText("The node would accept this definition.");
        window.click("Save");
        assertThat(window.page().locator("#notice")).containsText("Saved.");
        assertEquals(
                "PT2H", pair.get("/api/v1/tasks/" + id).at("/schedule/every").asText());
    }

    @Test
    void a_form_with_changes_is_left_only_after_a_question(DevelopmentPair pair, ConsoleWindow window) {
        long id = pair.task("edit-left", "{\"every\":\"PT1H\"}", LOG);
        window.signIn().open("/tasks/" + id + "/edit", "edit-left");
        label(window, "Every").fill("PT2H");
        List<String> questions = new CopyOnWriteArrayList<>();
        Consumer<Dialog> stay = dialog -> {
            questions.add(dialog.message());
            dialog.dismiss();
        };
        window.page().onDialog(stay);
        window.follow("Cluster");
        window.page().waitForCondition(() -> !questions.isEmpty());
        assertEquals(List.of("Leave this page and discard your changes?"), questions);
        window.shows("edit-left");
        assertThat(label(window, "Every")).hasValue("PT2H");
        window.page().offDialog(stay);
        window.page().onDialog(Dialog::accept);
        window.follow("Cluster");
        window.shows("Cluster");
    }

    @Test
    void a_definition_that_is_no_json_is_not_called_acceptable(DevelopmentPair pair, ConsoleWindow window) {
        long id = pair.task("edit-broken", "{\"every\":\"PT1H\"}", LOG);
        window.signIn().open("/tasks/" + id + "/edit", "edit-broken");
        label(window, "Data for the handler").fill("{bad");
        assertThat(window.page().locator(".side")).containsText("1 field needs attention: Data for the handler.");
        window.click("Save");
        assertThat(label(window, "Data for the handler")).isFocused();
    }

    @Test
    void the_form_checks_again_when_the_node_answers_again(DevelopmentPair pair, ConsoleWindow window) {
        window.expectErrors("ERR_FAILED");
        long id = pair.task("edit-silent", "{\"every\":\"PT1H\"}", LOG);
        window.signIn().open("/tasks/" + id + "/edit", "edit-silent");
        label(window, "Every").fill("PT2H");
        window.page().route("**/api/v1/tasks/**", Route::abort);
        window.click("Save");
        Locator side = window.page().locator(".side");
        assertThat(side).containsText("This node does not answer.");
        window.page().unroute("**/api/v1/tasks/**");
        assertThat(side).containsText("The node would accept this definition.");
        assertThat(label(window, "Every")).hasValue("PT2H");
    }

    private static Locator label(ConsoleWindow window, String name) {
        return window.main().getByLabel(name, new Locator.GetByLabelOptions().setExact(true));
    }
}
