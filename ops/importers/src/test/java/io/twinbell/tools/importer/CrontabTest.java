package io.twinbell.tools.importer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class CrontabTest {
    private static final Crontab.Options MINE = new Crontab.Options("host", "Europe/Berlin", false, null, false);

    @Test
    void comments_become_names_and_environment_lines_count_for_what_is_below_them() {
        List<ImportCandidate> found = Crontab.read("""
                # Nightly backup, of all!
                30 2 * * *   /usr/local/bin/backup --all > /dev/null 2>&1
                SHELL=/bin/bash
                PATH = "/opt/bin:/bin"
                HOME=/home/x
                CRON_TZ=America/New_York

                */5 8-18 * * mon-fri\tsync
                */5 8-18 * * mon-fri sync
                @daily tidy
                """, MINE);
        assertEquals(
                "{\"app\":\"host\",\"name\":\"nightly-backup-of-all\","
                        + "\"schedule\":{\"cron\":\"30 2 * * *\",\"dialect\":\"UNIX\",\"zone\":\"Europe/Berlin\"},"
                        + "\"handler\":{\"type\":\"shell\",\"command\":[\"/bin/sh\",\"-c\","
                        + "\"/usr/local/bin/backup --all > /dev/null 2>&1\"]},\"overlap\":\"ALLOW\"}",
                found.get(0).task().toString());
        assertEquals(
                "{\"app\":\"host\",\"name\":\"sync\",\"schedule\":{\"cron\":\"*/5 8-18 * * mon-fri\",\"dialect\":\"UNIX\","
                        + "\"zone\":\"America/New_York\"},\"handler\":{\"type\":\"shell\",\"command\":[\"/bin/bash\",\"-c\",\"sync\"],"
                        + "\"environment\":{\"PATH\":\"/opt/bin:/bin\",\"HOME\":\"/home/x\"},\"workingDirectory\":\"/home/x\"},"
                        + "\"overlap\":\"ALLOW\"}",
                found.get(1).task().toString());
        assertEquals("sync-2", found.get(2).task().path("name").asText());
        assertEquals("@daily", found.get(3).task().at("/schedule/cron").asText());
        assertEquals(4, found.size());
    }

    /** The clocks of Berlin skip and repeat 2:00 to 3:00, those of Santiago skip 0:00 and repeat 23:00. */
    @Test
    void an_entry_follows_crons_rule_for_clock_changes() {
        String found = String.join(
                "\n",
                Crontab.read("""
                        30 2 * * * fixed
                        0,30 2 * * * several
                        */20 2 * * * stars
                        */20 * * * * hourly
                        */20 9-17 * * * untouched
                        CRON_TZ=Europe/Berlin
                        30 2 * * * same
                        CRON_TZ=America/Santiago
                        @daily other
                        @hourly clock
                        30 23 * * * late
                        """, MINE).stream()
                        .map(one -> one.task().path("name").asText() + " "
                                + one.task().at("/schedule/dstGap").asText("-") + " "
                                + one.task().at("/schedule/dstOverlap").asText("-") + " " + one.notes())
                        .toList());
        assertEquals("""
                fixed - - []
                several - - [the times that the clock jumps over fire once together here, and cron runs each of them]
                stars SKIP TWICE []
                hourly - - []
                untouched - - []
                same SKIP - []
                other SKIP - []
                clock - - []
                late - TWICE []""", found);
    }

    @Test
    void a_percent_sign_begins_the_input() {
        assertEquals(
                "{ mail -s 100% x\n} <<'END_OF_INPUT'\nDear all,\nhi\nEND_OF_INPUT",
                command("mail -s 100\\% x%Dear all,%hi"));
        assertEquals("date +%F", command("date +\\%F"));
    }

    private static String command(String typed) {
        return Crontab.read("0 0 * * * " + typed, MINE)
                .get(0)
                .task()
                .at("/handler/command/2")
                .asText();
    }

    @Test
    void day_fields_with_a_star_must_both_match_as_in_cron() {
        assertEquals("0 0 0 */2 * MON SPRING", schedule("0 0 */2 * MON x"));
        assertEquals("0 0 0 13 * SUN,TUE,THU,SAT SPRING", schedule("0 0 13 * */2 x"));
        assertEquals("0 0 0 1 * SUN,TUE,THU,SAT,5 SPRING", schedule("0 0 1 * */2,5 x"));
        assertEquals("0 0 13 * FRI UNIX", schedule("0 0 13 * FRI x"));
        assertEquals("H(0-29) H * * * UNIX", schedule("0~29 ~ * * * x"));
        assertEquals("5 0 * * * UNIX", schedule("-5 0 * * * x"));
    }

    private static String schedule(String line) {
        var schedule = Crontab.read(line, MINE).get(0).task().path("schedule");
        return schedule.path("cron").asText() + " " + schedule.path("dialect").asText();
    }

    @Test
    void whatever_is_not_taken_over_has_a_reason() {
        List<ImportCandidate> found = Crontab.read("""
                MAILTO=ops@example.org
                MAILTO=""
                #0 5 * * * /bin/off
                @reboot /bin/start
                @fortnightly x
                0 5 * * x
                what is this
                A.B=c
                RANDOM_DELAY=5
                1 2 3 4 5 ok\r
                @600 again
                """, MINE);
        assertEquals(
                List.of("line 1", "line 4", "line 5", "line 6", "line 7", "line 8"),
                found.stream()
                        .filter(one -> !one.isTaken())
                        .map(ImportCandidate::where)
                        .toList());
        assertTrue(found.get(1).obstacle().startsWith("a pair has no reboot"));
        ImportCandidate delayed = found.get(6);
        assertEquals("PT5M", delayed.task().path("jitter").asText());
        assertEquals("ok", delayed.task().at("/handler/command/2").asText());
        assertEquals("FIXED_DELAY", found.get(7).task().at("/schedule/mode").asText());
    }

    @Test
    void entries_of_a_system_crontab_run_as_their_user_or_not_at_all() {
        String text =
                "17 * * * * root cd / && run-parts /etc/cron.hourly\n0 1 * * *\twww-data\t/x\nA=b\n0 2 * * * www-data /y\n";
        List<ImportCandidate> refused = Crontab.read(text, new Crontab.Options("h", null, true, "root", false));
        assertEquals(
                "cd / && run-parts /etc/cron.hourly",
                refused.get(0).task().at("/handler/command/2").asText());
        assertTrue(refused.get(1).obstacle().contains("--sudo"));
        List<ImportCandidate> taken = Crontab.read(text, new Crontab.Options("h", null, true, "root", true));
        assertEquals(
                "[\"sudo\",\"-n\",\"-u\",\"www-data\",\"--\",\"/bin/sh\",\"-c\",\"/x\"]",
                taken.get(1).task().at("/handler/command").toString());
        assertEquals(
                "[\"sudo\",\"-n\",\"-u\",\"www-data\",\"--\",\"env\",\"A=b\",\"/bin/sh\",\"-c\",\"/y\"]",
                taken.get(2).task().at("/handler/command").toString());
    }

    @Test
    void a_user_that_cannot_be_one_is_named() {
        List<ImportCandidate> found = Crontab.read(
                "0 1 * * * /bin/backup --all\n@daily root:wheel /x\n@daily -n /x\n@daily root %x\n@daily www-data /x\n",
                new Crontab.Options("h", "UTC", true, null, true));
        assertEquals(
                "[has /bin/backup where the name of its user should be, has root:wheel where the name of its user should be,"
                        + " has -n where the name of its user should be, has input, which begins with %, and no command, null]",
                found.stream().map(ImportCandidate::obstacle).toList().toString());
    }

    @Test
    void a_line_of_any_length_is_read_or_left_with_its_reason() {
        List<ImportCandidate> found = Crontab.read("A=x" + " ".repeat(200_000) + "y\n0 0 * * * /x\n", MINE);
        assertTrue(found.get(0).obstacle().startsWith("is longer than"));
        assertTrue(found.get(1).isTaken());
    }
}
