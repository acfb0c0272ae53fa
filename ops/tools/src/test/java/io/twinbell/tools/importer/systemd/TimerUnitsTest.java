package io.twinbell.tools.importer.systemd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.twinbell.tools.importer.ImportCandidate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class TimerUnitsTest {
    private static final TimerUnits.Options ROOT = new TimerUnits.Options("host", "Europe/Berlin", "root", false);
    private static final String SERVICE = """
            [Service]
            Type=oneshot
            ExecStart=/usr/bin/backup --all "two words"
            Environment=REGION=eu "NAME=a b"
            WorkingDirectory=/var/backup
            TimeoutStartSec=1h 30min
            """;

    private static List<ImportCandidate> read(String timer, String service) {
        return TimerUnits.read(Map.of("backup.timer", "[Timer]\n" + timer, "backup.service", service), ROOT);
    }

    @Test
    void a_timer_becomes_a_task_that_runs_its_service() {
        List<ImportCandidate> found =
                read("OnCalendar=*-*-* 04:30:00\nPersistent=true\nRandomizedDelaySec=15min\n", SERVICE);
        assertEquals(
                "{\"app\":\"host\",\"name\":\"backup\","
                        + "\"schedule\":{\"cron\":\"0 30 4 * * *\",\"dialect\":\"SPRING\",\"zone\":\"Europe/Berlin\"},"
                        + "\"jitter\":\"PT15M\",\"handler\":{\"type\":\"shell\","
                        + "\"command\":[\"/usr/bin/backup\",\"--all\",\"two words\"],"
                        + "\"environment\":{\"REGION\":\"eu\",\"NAME\":\"a b\"},\"workingDirectory\":\"/var/backup\"},"
                        + "\"overlap\":\"SKIP\",\"misfire\":{\"policy\":\"FIRE_ONCE\"},\"timeout\":\"PT1H30M\"}",
                found.get(0).task().toString());
    }

    @Test
    void each_schedule_of_a_timer_becomes_a_task() {
        List<ImportCandidate> found = read("""
                OnBootSec=5min
                OnCalendar=daily
                OnCalendar=Mon 09:00 UTC
                OnUnitActiveSec=1h
                OnUnitInactiveSec=90
                """, SERVICE);
        assertEquals(
                List.of("backup", "backup-2", "backup-3", "backup-4"),
                found.stream().map(one -> one.task().path("name").asText()).toList());
        assertEquals("PT1H", found.get(2).task().at("/schedule/every").asText());
        assertEquals(
                "{\"every\":\"PT1M30S\",\"mode\":\"FIXED_DELAY\"}",
                found.get(3).task().path("schedule").toString());
        assertEquals("SKIP", found.get(0).task().at("/misfire/policy").asText());
        assertTrue(found.get(0).notes().get(0).contains("OnBootSec=5min is left out"));
    }

    @Test
    void several_commands_and_variables_run_in_a_shell() {
        String script = read("OnCalendar=daily\n", """
                        [Service]
                        ExecStartPre=-/bin/mount /mnt
                        ExecStart=/bin/sh -c 'echo "it'
                        ExecStart=/bin/tar $OPTIONS "${HOME}/it's" 100%%
                        """)
                .get(0)
                .task()
                .at("/handler/command/2")
                .asText();
        assertEquals(
                "set -f; { /bin/mount /mnt || :; } && /bin/sh -c 'echo \"it' && /bin/tar $OPTIONS \"${HOME}/it's\" '100%'",
                script);
    }

    @Test
    void drop_ins_change_a_unit_and_an_empty_value_clears_a_list() {
        List<ImportCandidate> found = TimerUnits.read(
                Map.of(
                        "backup.timer", "[Timer]\nOnCalendar=daily\n",
                        "backup.timer.d/late.conf", "[Timer]\nOnCalendar=\nOnCalendar=22:00\n",
                        "backup.service", SERVICE),
                ROOT);
        assertEquals(1, found.size());
        assertEquals("0 0 22 * * *", found.get(0).task().at("/schedule/cron").asText());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "OnBootSec=5min | [Service]\\nExecStart=/x | fires only after a boot",
                "OnCalendar=daily | [Service]\\nType=oneshot | has no ExecStart",
                "OnCalendar=daily | [Service]\\nExecStart=/x %i | specifiers",
                "OnCalendar=daily | [Service]\\nExecStart=/x\\nUser=www | runs as www",
                "OnCalendar=daily | [Service]\\nExecStart=/x\\nDynamicUser=yes | DynamicUser",
                "OnCalendar=2030-*-01 | [Service]\\nExecStart=/x | limited to the year 2030",
                "OnCalendar=*-*~07,03 | [Service]\\nExecStart=/x | from the end of the month",
                "OnCalendar=*:*:0.5 | [Service]\\nExecStart=/x | fraction of a second",
                "OnCalendar=teatime | [Service]\\nExecStart=/x | is not a calendar event",
                "OnUnitActiveSec=5 parsecs | [Service]\\nExecStart=/x | unknown unit"
            })
    void what_a_task_cannot_do_has_a_reason(String timer, String service, String reason) {
        ImportCandidate left = read(timer + "\n", service.replace("\\n", "\n")).get(0);
        assertTrue(left.obstacle() != null && left.obstacle().contains(reason), String.valueOf(left.obstacle()));
    }

    @Test
    void another_user_needs_sudo() {
        ImportCandidate taken = TimerUnits.read(
                        Map.of(
                                "a.timer", "[Timer]\nOnCalendar=daily\n",
                                "a.service", "[Service]\nExecStart=/x\nUser=www\n"),
                        new TimerUnits.Options("host", "UTC", "twinbell", true))
                .get(0);
        assertEquals(
                "[\"sudo\",\"-n\",\"-u\",\"www\",\"--\",\"/x\"]",
                taken.task().at("/handler/command").toString());
    }

    @ParameterizedTest
    @CsvSource({
        "minutely, 0 * * * * *",
        "hourly, 0 0 * * * *",
        "weekly, 0 0 0 * * MON",
        "quarterly, '0 0 0 1 1,4,7,10 *'",
        "Mon..Fri 08..18:00/15, '0 0/15 8-18 * * MON,TUE,WED,THU,FRI'",
        "'Sat,Sun 10:00', '0 0 10 * * SAT,SUN'",
        "'Fri,Sat..Sun,Mon 1:2:3', '3 2 1 * * MON,FRI,SAT,SUN'",
        "*-02~01 12:00, 0 0 12 L 2 *",
        "*-*~3, 0 0 0 L-2 * *",
        "*-*-1/2, 0 0 0 1/2 * *",
        "*:0/20:30, 30 0/20 * * * *",
        "Monday *-1..6-1 6:00:00, 0 0 6 1 1-6 MON"
    })
    void calendar_events_become_cron_expressions(String event, String cron) {
        assertEquals(cron, CalendarEvent.schedule(event, "UTC").path("cron").asText());
    }

    @Test
    void one_whole_date_becomes_an_instant() {
        assertEquals(
                "2030-06-01T06:00:00Z",
                CalendarEvent.schedule("2030-06-01 08:00:00 Europe/Berlin", "UTC")
                        .path("at")
                        .asText());
    }

    @Test
    void time_spans_have_the_units_of_systemd() {
        assertEquals(Duration.ofMinutes(90), TimeSpan.of("1h 30min"));
        assertEquals(Duration.ofMillis(1500), TimeSpan.of("1.5"));
        assertEquals(Duration.ofDays(16), TimeSpan.of("2w2days"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "h", "5 x", "5s and more"})
    void a_text_that_is_no_time_span_is_refused(String text) {
        assertThrows(IllegalArgumentException.class, () -> TimeSpan.of(text));
    }

    private static ImportCandidate running(String execStart) {
        return read("OnCalendar=daily\n", "[Service]\nExecStart=" + execStart + "\n")
                .get(0);
    }

    private static List<String> words(String execStart) {
        List<String> words = new ArrayList<>();
        running(execStart).task().at("/handler/command").forEach(word -> words.add(word.asText()));
        return words;
    }

    private static Stream<Arguments> lines() {
        return Stream.of(
                arguments("/bin/awk '{print $$1}' /x", List.of("/bin/awk", "{print $1}", "/x")),
                arguments("/bin/sh -c 'echo $f `x`'", List.of("/bin/sh", "-c", "echo $f `x`")),
                arguments("/bin/x ${A}b$c $$d", List.of("/bin/sh", "-c", "/bin/x \"${A}b\\$c\" '$d'")),
                arguments("/bin/x $A ${B}", List.of("/bin/sh", "-c", "set -f; /bin/x $A \"${B}\"")),
                arguments(":/bin/x ${A} $$", List.of("/bin/x", "${A}", "$$")),
                arguments("/bin/x \"a\\nb\\x20c\" d\\se --f='g h'", List.of("/bin/x", "a\nb c", "d e", "--f=g h")),
                arguments("/bin/a ; /bin/b \\; ';'", List.of("/bin/sh", "-c", "/bin/a && /bin/b ';' ';'")));
    }

    @ParameterizedTest
    @MethodSource("lines")
    void words_are_those_that_systemd_passes(String line, List<String> words) {
        assertEquals(words, words(line));
    }

    @Test
    void a_long_quoted_word_is_read_and_an_open_quote_is_refused() {
        String script = "echo x;".repeat(10_000);
        assertEquals(List.of("/bin/sh", "-c", script), words("/bin/sh -c \"" + script + "\""));
        assertTrue(running("/bin/sh -c 'a").obstacle().contains("quote that is not closed"));
        assertTrue(running("/bin/x \\xe4").obstacle().contains("escape that is not understood"));
    }

    @Test
    void variables_reach_the_command_of_another_user() {
        ImportCandidate taken = TimerUnits.read(
                        Map.of(
                                "a.timer", "[Timer]\nOnCalendar=daily\n",
                                "a.service", "[Service]\nExecStart=/x\nUser=www\nEnvironment=A=b\n"),
                        new TimerUnits.Options("host", "UTC", "twinbell", true))
                .get(0);
        assertEquals(
                "[\"sudo\",\"-n\",\"-u\",\"www\",\"--\",\"env\",\"A=b\",\"/x\"]",
                taken.task().at("/handler/command").toString());
        assertEquals(List.of("/x"), words("+/x"), "root has all rights already");
        assertTrue(TimerUnits.read(
                        Map.of(
                                "a.timer", "[Timer]\nOnCalendar=daily\n",
                                "a.service", "[Service]\nExecStart=+/x\nUser=www\n"),
                        new TimerUnits.Options("host", "UTC", "www", false))
                .get(0)
                .obstacle()
                .contains("other rights"));
    }

    @Test
    void the_tasks_of_two_timers_never_have_one_name() {
        List<ImportCandidate> found = TimerUnits.read(
                Map.of(
                        "a.timer",
                        "[Timer]\nOnCalendar=daily\nOnCalendar=hourly\n",
                        "a-2.timer",
                        "[Timer]\nOnCalendar=daily\n",
                        "a.service",
                        SERVICE,
                        "a-2.service",
                        SERVICE),
                ROOT);
        assertEquals(
                3,
                found.stream()
                        .map(one -> one.task().path("name").asText())
                        .distinct()
                        .count());
    }

    @Test
    void a_start_timeout_limits_only_a_service_that_is_its_start() {
        String simple = "[Service]\nExecStart=/x\nTimeoutStartSec=30\n";
        assertTrue(
                read("OnCalendar=daily\n", simple).get(0).task().path("timeout").isMissingNode());
        assertEquals(
                "PT2H",
                read("OnCalendar=daily\n", simple + "RuntimeMaxSec=2h\n")
                        .get(0)
                        .task()
                        .path("timeout")
                        .asText());
        assertEquals(
                "PT5M",
                read("OnCalendar=daily\n", "[Service]\nType=oneshot\nExecStart=/x\nTimeoutSec=5min\n")
                        .get(0)
                        .task()
                        .path("timeout")
                        .asText());
    }

    @Test
    void settings_without_a_counterpart_are_named() {
        ImportCandidate taken = read(
                        "OnCalendar=daily\nOnClockChange=yes\n",
                        "[Unit]\nConditionACPower=true\n[Service]\nExecStart=/x\nNice=5\nRestart=on-failure\n")
                .get(0);
        assertEquals(
                List.of(
                        "settings that a task does not have are left out: OnClockChange",
                        "settings that a task does not have are left out: ConditionACPower, Nice, Restart"),
                taken.notes());
    }

    @Test
    void an_empty_event_clears_the_events_of_every_kind() {
        List<ImportCandidate> found = read("OnUnitActiveSec=1h\nOnCalendar=\nOnCalendar=daily\n", SERVICE);
        assertEquals(1, found.size());
        assertEquals("0 0 0 * * *", found.get(0).task().at("/schedule/cron").asText());
    }
}
