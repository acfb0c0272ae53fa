package io.twinbell.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.AriaRole;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What each page shows, in both colours and on a phone. */
@BrowserTest
class ConsolePagesTest {
    private static final String LOG = "{\"type\":\"log\",\"message\":\"x\"}";
    private static final String DAILY = "{\"cron\":\"0 30 2 * * ?\",\"dialect\":\"QUARTZ\",\"zone\":\"Europe/Berlin\"}";

    @Test
    void the_overview_shows_both_nodes_and_what_needs_a_person(DevelopmentPair pair, ConsoleWindow window) {
        pair.failedExecution("overview-fails");
        window.open("/", "Overview");
        assertThat(window.main()).containsText("Node " + pair.master());
        assertThat(window.page().locator(".node")).hasCount(2);
        assertThat(window.main()).containsText("failed in the last 24 hours");
        assertThat(window.page().locator("svg.chart .bad title, svg.chart g:has(.bad) title"))
                .not()
                .hasCount(0);
        assertThat(window.page().locator("svg.chart .move title").first())
                .hasText(Pattern.compile("node [ab] became master, epoch \\d+"));
        window.examine("overview");
    }

    @Test
    void the_tasks_can_be_filtered_by_a_part_of_the_name(DevelopmentPair pair, ConsoleWindow window) {
        pair.task("list-close-day", DAILY, LOG, "\"owner\":\"ops\",\"tags\":[\"nightly\"]");
        pair.task("list-other", "{\"every\":\"PT1H\"}", LOG);
        window.open("/tasks", "Tasks");
        Locator rows = window.page().locator("tbody tr");
        window.page().getByLabel("Part of the name").fill("list-close");
        window.click("Filter");
        assertThat(rows).hasCount(1);
        assertThat(rows).containsText("list-close-day");
        assertEquals("#/tasks?q=list-close", window.page().evaluate("location.hash"));
        window.open("/tasks", "Tasks").examine("tasks");
        window.open("/tasks?q=nothing-has-this-name", "Tasks");
        assertThat(window.main()).containsText("No task matches.");
        window.examine("tasks-empty");
    }

    @Test
    void the_tasks_show_how_each_ended_last(DevelopmentPair pair, ConsoleWindow window) {
        pair.failedExecution("outcome-fails");
        pair.task("outcome-none", DAILY, LOG);
        window.open("/tasks?q=outcome-fails", "Tasks");
        assertThat(window.page().locator("tbody tr .badge.failed")).hasText("FAILED");
        window.open("/tasks?q=outcome-none", "Tasks");
        assertThat(window.page().locator("tbody tr:has-text('outcome-none') .badge")).hasText("ACTIVE");
    }

    @Test
    void a_task_shows_its_policies_and_whose_defaults_they_are(DevelopmentPair pair, ConsoleWindow window) {
        long id = pair.task("policies-own", DAILY, LOG, "\"timeout\":\"PT90S\",\"orphan\":\"RERUN\"");
        window.open("/tasks/" + id, "policies-own");
        assertThat(window.main()).containsText(Pattern.compile("Timeout\\s*1 minute 30 seconds"));
        assertThat(window.main()).containsText(Pattern.compile("Orphan\\s*RERUN"));
        window.examine("task-policies");
    }

    @Test
    void what_needs_a_person_counts_slots_and_names_those_dropped_and_in_doubt(
            DevelopmentPair pair, ConsoleWindow window) {
        String row = "{\"items\":[{\"slots\":2938},{}],\"next\":null}";
        Page page = window.page();
        page.route(
                url -> url.contains("state=MISSED") || url.contains("state=DROPPED"),
                route -> route.fulfill(new Route.FulfillOptions()
                        .setContentType("application/json")
                        .setBody(row)));
        page.route(
                url -> url.endsWith("/api/v1/cluster"),
                route -> route.fulfill(new Route.FulfillOptions()
                        .setContentType("application/json")
                        .setBody(pair.cluster().toString().replace("\"slotsInDoubt\":0", "\"slotsInDoubt\":37"))));
        window.open("/", "Overview");
        assertThat(window.main()).containsText("2,939 slots missed in the last 24 hours.");
        assertThat(window.main()).containsText("2,939 executions dropped in the last 24 hours.");
        assertThat(window.main()).containsText("37 slots in doubt");
        assertThat(window.main()).containsText("Why it became master then:");
        page.getByText("Ask the receivers whether they ran").click();
        window.shows("Executions");
        assertThat(page.getByLabel("In doubt")).hasValue("true");
    }

    @Test
    void a_filter_by_several_states_in_the_address_is_shown(ConsoleWindow window) {
        window.open("/executions?state=SKIPPED,MISSED", "Executions");
        assertThat(window.page().getByLabel("State")).hasValue("SKIPPED,MISSED");
        assertThat(window.page().getByLabel("State").locator("option:checked")).hasText("SKIPPED or MISSED");
    }

    @Test
    void the_charts_have_axes(DevelopmentPair pair, ConsoleWindow window) {
        pair.failedExecution("axis");
        window.open("/", "Overview");
        assertThat(window.page().locator(".plot .axis").first()).hasText(Pattern.compile("^[1-9][0-9,]*0$"));
        assertThat(window.page().locator(".plot .axis").last()).hasText(Pattern.compile("^(\\d\\d:\\d\\d){5}$"));
        assertThat(window.main()).containsText("oldest first. The highest bar took");
        window.examine("overview-axes");
    }

    @Test
    void the_columns_of_the_tasks_are_chosen_and_remembered(DevelopmentPair pair, ConsoleWindow window) {
        pair.task("columns-one", DAILY, LOG, "\"owner\":\"night-shift\",\"tags\":[\"nightly\"]");
        window.open("/tasks?q=columns-one", "Tasks");
        assertThat(window.main()).not().containsText("night-shift");
        window.page().locator("details.columns summary").click();
        window.page()
                .getByLabel("Owner", new Page.GetByLabelOptions().setExact(true))
                .last()
                .check();
        window.page().getByLabel("Previous fire").uncheck();
        assertThat(window.page().locator("tbody tr")).containsText("night-shift");
        window.examine("tasks-columns");
        window.page().reload();
        assertThat(window.page().locator("tbody tr")).containsText("night-shift");
        assertThat(window.page().locator("thead")).not().containsText("Previous fire");
    }

    @Test
    void a_calendar_shows_month_by_month_when_nothing_fires_and_who_uses_it(
            DevelopmentPair pair, ConsoleWindow window) {
        pair.put(
                "/api/v1/calendars/year-end",
                "{\"mode\":\"EXCLUDE\",\"zone\":\"Europe/Berlin\",\"dates\":[\"2099-12-25\"],"
                        + "\"weekly\":[{\"days\":[\"MON\"],\"from\":\"08:00\",\"to\":\"10:00\"}]}");
        pair.task("calendar-user", DAILY, LOG, "\"calendars\":[\"year-end\"]");
        window.open("/calendars/year-end?month=2099-11", "year-end");
        assertThat(window.page().locator(".month .all")).hasCount(0);
        window.click("Next month");
        window.page().waitForURL(url -> url.contains("month=2099-12"));
        assertThat(window.page().locator(".month .all")).containsText("25");
        assertThat(window.page().locator(".month .partly").first()).containsText("not 08:00–10:00");
        assertThat(window.main()).containsText("console/calendar-user");
        window.examine("calendar");
    }

    @Test
    void the_configuration_is_shown_to_operators_with_the_source_of_each_value(
            DevelopmentPair pair, ConsoleWindow window) {
        window.open("/cluster", "Cluster");
        assertThat(window.main()).not().containsText("Configuration of node");
        window.signIn().open("/cluster", "Cluster");
        Locator settings = window.page().getByRole(AriaRole.REGION, new Page.GetByRoleOptions().setName("Settings"));
        assertThat(settings).containsText("database.url");
        assertThat(settings).containsText("a.yaml");
        window.page().getByText("Keys with their defaults").click();
        assertThat(window.main()).containsText("retention.executions");
        window.examine("cluster-configuration");
    }

    @Test
    void a_task_shows_its_schedule_in_words_and_its_next_fire_times(DevelopmentPair pair, ConsoleWindow window) {
        long id = pair.task("page-close-day", DAILY, LOG, "\"owner\":\"ops\",\"tags\":[\"nightly\"]");
        pair.post("/api/v1/tasks/" + id + "/trigger", "{}", 201);
        window.open("/tasks/" + id, "page-close-day");
        assertThat(window.main()).containsText("02:30");
        window.page().getByText("Next 20 fire times by the schedule").click();
        assertThat(window.page().locator("ol.times li")).hasCount(20);
        assertThat(window.page().locator("svg.strip rect.succeeded")).hasCount(1);
        window.examine("task");
    }

    @Test
    void an_execution_shows_its_error_and_why_it_ran(DevelopmentPair pair, ConsoleWindow window) {
        pair.failedExecution("page-fails");
        window.open("/executions?name=page-fails", "Executions");
        assertThat(window.page().locator("tbody tr")).hasCount(1);
        window.page().getByLabel("Since").selectOption("1");
        window.page().waitForURL(url -> url.contains("since=1"));
        assertThat(window.page().locator("tbody tr")).hasCount(1);
        window.page().locator("tbody a").nth(1).click();
        window.shows("page-fails");
        Locator runs = window.page().getByRole(AriaRole.REGION, new Page.GetByRoleOptions().setName("Latest runs"));
        assertThat(runs).containsText("CONNECT_REFUSED");
        runs.locator("tbody a").first().click();
        assertThat(window.page().locator("pre.wrong")).containsText("127.0.0.1");
        assertThat(window.page().locator("p.banner")).not().isEmpty();
        window.examine("execution");
        window.open("/executions", "Executions").examine("executions");
    }

    @Test
    void the_rules_show_limits_alerts_calendars_and_pauses(DevelopmentPair pair, ConsoleWindow window) {
        pair.put("/api/v1/limits/warehouse", "{\"maxRunning\":2}");
        pair.put("/api/v1/calendars/holidays", "{\"mode\":\"EXCLUDE\",\"dates\":[\"2026-12-25\"]}");
        pair.put("/api/v1/pauses/tag:frozen", "{\"reason\":\"the quarter is closed\"}");
        window.open("/rules", "Limits, alerts, calendars and pauses");
        for (String shown : new String[] {"warehouse", "holidays", "tag:frozen", "the quarter is closed"}) {
            assertThat(window.main()).containsText(shown);
        }
        window.examine("rules");
    }

    @Test
    void the_cluster_shows_each_promotion_with_its_parts_and_the_epochs(DevelopmentPair pair, ConsoleWindow window) {
        window.open("/cluster", "Cluster");
        assertThat(window.main()).containsText("Both nodes are in order");
        Locator promotions =
                window.page().getByRole(AriaRole.REGION, new Page.GetByRoleOptions().setName("Promotions"));
        assertThat(promotions.locator("tbody tr").first()).containsText("if it happened now");
        assertThat(promotions).containsText("first master");
        assertThat(promotions.locator("svg rect.rebuild").last()).isVisible();
        Locator epochs = window.page().getByRole(AriaRole.REGION, new Page.GetByRoleOptions().setName("Epochs"));
        assertThat(epochs.locator("tbody tr").first())
                .containsText(pair.cluster().get("epoch").asText());
        window.examine("cluster");
    }

    @Test
    void the_timeline_shows_what_fires_together_and_what_ran(DevelopmentPair pair, ConsoleWindow window) {
        pair.task("line-first", "{\"cron\":\"0 * * * *\"}", LOG);
        pair.task("line-second", "{\"cron\":\"0 * * * *\"}", LOG);
        pair.failedExecution("line-fails");
        window.open("/timeline", "Timeline");
        Locator collisions =
                window.page().getByRole(AriaRole.REGION, new Page.GetByRoleOptions().setName("Collisions"));
        assertThat(collisions).containsText("line-first");
        assertThat(window.page().locator("svg.planned rect.all").first()).isVisible();
        assertThat(window.page().locator("svg.chart rect.bad").first()).isVisible();
        window.examine("timeline");
        window.page().getByLabel("Ahead").selectOption("24");
        window.page().waitForURL(url -> url.contains("hours=24"));
        assertThat(collisions).containsText("line-second");
    }

    @Test
    void the_timeline_lists_the_tasks_from_a_time_of_day_on(DevelopmentPair pair, ConsoleWindow window) {
        Instant at = Instant.now().plus(Duration.ofMinutes(750)).truncatedTo(ChronoUnit.MINUTES);
        pair.task("line-later", "{\"at\":\"" + at + "\"}", LOG);
        window.open("/timeline?hours=24&app=console", "Timeline");
        Locator minutes = window.page().getByRole(AriaRole.REGION, new Page.GetByRoleOptions().setName("Next minutes"));
        assertThat(minutes).not().containsText("line-later");
        window.page().getByLabel("Minutes from").fill("%tR".formatted(at.atZone(ConsoleWindow.ZONE)));
        window.click("Filter");
        assertThat(minutes.locator("tbody tr").first()).containsText("line-later");
    }

    @Test
    void a_minute_of_the_timeline_shows_all_its_tasks(DevelopmentPair pair, ConsoleWindow window) {
        Instant at = Instant.now().plus(Duration.ofMinutes(30)).truncatedTo(ChronoUnit.MINUTES);
        for (int i = 0; i < 7; i++) {
            pair.task("minute-" + i, "{\"at\":\"" + at.plusSeconds(7) + "\"}", LOG);
        }
        window.open("/timeline?app=console", "Timeline");
        Locator collisions =
                window.page().getByRole(AriaRole.REGION, new Page.GetByRoleOptions().setName("Collisions"));
        Locator row = collisions.locator("tr", new Locator.LocatorOptions().setHasText("minute-0"));
        assertThat(row).not().containsText("minute-6");
        row.locator("a").first().click();
        Locator minute =
                window.page().getByRole(AriaRole.REGION, new Page.GetByRoleOptions().setName("Tasks of the minute"));
        for (int i = 0; i < 7; i++) {
            assertThat(minute).containsText("minute-" + i);
        }
        window.examine("timeline-minute");
        window.follow("Close the minute");
        assertThat(minute).hasCount(0);
    }

    @Test
    void the_timeline_counts_paused_fires_apart_and_looks_over_the_whole_day(
            DevelopmentPair pair, ConsoleWindow window) {
        pair.put(
                "/api/v1/apps/quick/tasks/each-second",
                "{\"schedule\":{\"cron\":\"* * * * * *\"},\"handler\":" + LOG + "}");
        pair.put("/api/v1/apps/stopped/tasks/hourly", "{\"schedule\":{\"every\":\"PT1H\"},\"handler\":" + LOG + "}");
        pair.put("/api/v1/pauses/app:stopped", "{\"reason\":\"stocktaking\"}");
        try {
            window.open("/timeline?hours=24&app=quick", "Timeline");
            assertThat(window.main()).containsText(Pattern.compile("86,[0-9]{3} fires of 1 task"));
            assertThat(window.main()).not().containsText("Looked until");
            window.open("/timeline?hours=24&app=stopped", "Timeline");
            assertThat(window.main()).containsText(Pattern.compile("2[34] fires are paused and not counted"));
            assertThat(window.main()).containsText("stocktaking");
            window.examine("timeline-paused");
        } finally {
            pair.send("DELETE", "/api/v1/pauses/app:stopped", null, 204);
            pair.send("DELETE", "/api/v1/apps/quick/tasks/each-second", null, 204);
            pair.send("DELETE", "/api/v1/apps/stopped/tasks/hourly", null, 204);
        }
    }

    @Test
    void the_timeline_says_until_when_it_looked(DevelopmentPair pair, ConsoleWindow window) {
        Instant at = Instant.now().plus(Duration.ofHours(2)).truncatedTo(ChronoUnit.MINUTES);
        String tasks = IntStream.rangeClosed(0, 2000)
                .mapToObj(i -> "{\"app\":\"many\",\"name\":\"t" + i + "\",\"schedule\":{\"at\":\"" + at
                        + "\"},\"handler\":" + LOG + "}")
                .collect(Collectors.joining(",", "[", "]"));
        pair.post("/api/v1/tasks/batch", tasks, 200);
        try {
            window.open("/timeline?app=many", "Timeline");
            assertThat(window.main())
                    .containsText("Looked until %1$tF %1$tR:00 only".formatted(at.atZone(ConsoleWindow.ZONE)));
            assertThat(window.main()).containsText("More than 2,000 tasks fire in this span.");
            window.examine("timeline-bounded");
        } finally {
            pair.send("DELETE", "/api/v1/tasks?app=many", null, 200);
        }
    }

    @Test
    void the_audit_shows_the_members_that_a_change_changed(DevelopmentPair pair, ConsoleWindow window) {
        long id = pair.task("audited-change", "{\"every\":\"PT1H\"}", LOG);
        pair.send("PATCH", "/api/v1/tasks/" + id, "{\"owner\":\"ann\"}", 200);
        window.signIn().open("/audit?kind=TASK&object=" + id, "Audit");
        window.page().locator("summary").first().click();
        Locator values = window.page().locator("details[open] > pre");
        assertThat(values).hasCount(2);
        assertThat(values.last()).containsText("ann");
        assertThat(values.last()).not().containsText("schedule");
    }

    @Test
    void the_audit_shows_who_changed_what(DevelopmentPair pair, ConsoleWindow window) {
        pair.task("audited", "{\"every\":\"PT1H\"}", LOG);
        window.signIn();
        window.open("/audit?kind=TASK", "Audit");
        window.follow("console / audited");
        window.shows("audited");
        window.open("/audit", "Audit");
        assertThat(window.main()).containsText("console / audited");
        window.page().locator("summary").first().click();
        assertThat(window.page().locator("details[open] pre").first()).isVisible();
        window.examine("audit");
    }

    @Test
    void a_name_that_is_markup_is_shown_as_text(DevelopmentPair pair, ConsoleWindow window) {
        String markup = "<img src=x onerror=document.title=1>";
        JsonNode created = pair.post(
                "/api/v1/tasks",
                "{\"app\":\"<b>\",\"name\":\"" + markup + "\",\"schedule\":{\"every\":\"PT1H\"},\"handler\":" + LOG
                        + "}",
                201);
        window.open("/tasks?q=onerror", "Tasks");
        assertThat(window.page().locator("tbody tr")).containsText(markup);
        window.open("/tasks/" + created.get("id").asText(), markup);
        assertThat(window.page().locator("main img, main b")).hasCount(0);
        window.open("/audit?object=" + created.get("id").asText(), "Audit");
        assertThat(window.page().locator("img")).hasCount(1);
    }

    @Test
    void long_names_and_texts_stay_inside_the_page(DevelopmentPair pair, ConsoleWindow window) {
        String name = "a".repeat(120) + "-" + "b".repeat(60);
        long id = pair.task(name, "{\"every\":\"PT1H\"}", LOG, "\"owner\":\"" + "o".repeat(60) + "\"");
        pair.post("/api/v1/tasks/" + id + "/pause", "{\"reason\":\"" + "r".repeat(400) + "\"}", 200);
        window.open("/tasks?q=aaaa", "Tasks");
        Object isInside = window.page()
                .locator("tbody td")
                .first()
                .evaluate("cell => cell.querySelector('a').getBoundingClientRect().right"
                        + " <= cell.getBoundingClientRect().right");
        assertEquals(true, isInside, "the name covers its neighbours");
        window.examine("tasks-long");
        window.open("/tasks/" + id, name).examine("task-long");
    }

    @Test
    void on_a_phone_every_link_of_the_header_is_on_the_screen(ConsoleWindow window) {
        window.open("/", "Overview").page().setViewportSize(390, 900);
        Object outside = window.page()
                .evaluate("[...document.querySelectorAll('#top a, #top button')].filter((one) => {"
                        + " const box = one.getBoundingClientRect();"
                        + " return box.left < 0 || box.right > innerWidth || box.width === 0; }).length");
        assertEquals(0, outside);
        window.follow("Audit");
        window.shows("Audit");
    }

    @Test
    void an_unknown_page_and_an_unknown_task_say_so(ConsoleWindow window) {
        window.expectErrors("404");
        window.open("/nowhere", "No such page").examine("nowhere");
        window.open("/tasks/999999999", "This page cannot be shown").examine("unknown-task");
    }
}
