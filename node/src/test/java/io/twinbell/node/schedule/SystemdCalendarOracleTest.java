package io.twinbell.node.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.abort;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.schedule.custom.ScheduleTypes;
import io.twinbell.tools.importer.systemd.TimerUnits;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Imported timers fire when systemd itself says that they would. */
class SystemdCalendarOracleTest {
    private static final Pattern ELAPSE =
            Pattern.compile("(?:Next elapse|Iter\\. #\\d+): \\w+ (\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d) UTC");
    private static final DateTimeFormatter FORM = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT);

    private static List<String> systemd(String event) throws InterruptedException {
        ProcessBuilder command = new ProcessBuilder(
                "systemd-analyze", "calendar", "--iterations=20", "--base-time=2026-02-27 12:00:00 UTC", event);
        command.environment().put("TZ", "UTC");
        command.environment().put("LC_ALL", "C");
        List<String> times = new ArrayList<>();
        try {
            Process process = command.redirectErrorStream(true).start();
            Matcher elapse =
                    ELAPSE.matcher(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
            while (elapse.find()) {
                times.add(LocalDateTime.parse(elapse.group(1), FORM)
                        .toInstant(ZoneOffset.UTC)
                        .toString());
            }
            process.waitFor();
        } catch (IOException e) {
            abort("skipped: needs systemd-analyze (Debian: systemd)");
        }
        return times;
    }

    private static List<String> imported(String event) {
        JsonNode schedule = TimerUnits.read(
                        Map.of("x.timer", "[Timer]\nOnCalendar=" + event, "x.service", "[Service]\nExecStart=/x"),
                        new TimerUnits.Options("host", "UTC", "root", false))
                .get(0)
                .task()
                .path("schedule");
        return ScheduleFixtures.fires(
                Schedules.parse(schedule, Window.from(0), "host/x", ScheduleTypes.NONE), "2026-02-27T12:00:00Z", 20);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "minutely",
                "hourly",
                "daily",
                "weekly",
                "monthly",
                "quarterly",
                "semiannually",
                "yearly",
                "Mon..Fri 08..18:00/15",
                "Sat,Sun 10:00 Europe/Berlin",
                "Fri,Sat..Sun,Mon 1:2:3",
                "*-02~01 12:00",
                "*-*~3",
                "*-*-1/2",
                "*-*-13 00:00",
                "Fri *-*-13",
                "Tue *-*-1..7 18:00",
                "*:0/20:30",
                "*-1,4..6/2-2/10 6,8..10:5",
                "Monday *-1..6-1 6:00:00",
                "*-*-29,30,31 23:59:59",
                "2028-02-29 12:00:00"
            })
    void an_imported_timer_fires_when_systemd_says(String event) throws Exception {
        List<String> said = systemd(event);
        assertEquals(event.startsWith("2028") ? 1 : 20, said.size(), "times that systemd says");
        assertEquals(said, imported(event));
    }
}
