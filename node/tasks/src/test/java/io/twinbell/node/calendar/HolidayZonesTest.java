package io.twinbell.node.calendar;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lines and zones as different programs write them. */
class HolidayZonesTest {
    private static final String OUTLOOK = """
            BEGIN:VTIMEZONE
            TZID:W. Europe Standard Time
            BEGIN:STANDARD
            DTSTART:16010101T030000
            TZOFFSETFROM:+0200
            TZOFFSETTO:+0100
            RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=10
            END:STANDARD
            BEGIN:DAYLIGHT
            DTSTART:16010101T020000
            TZOFFSETFROM:+0100
            TZOFFSETTO:+0200
            RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=3
            END:DAYLIGHT
            END:VTIMEZONE
            BEGIN:VTIMEZONE
            TZID:Somewhere\\, else
            X-LIC-LOCATION:Europe/Berlin
            END:VTIMEZONE
            BEGIN:VTIMEZONE
            TZID:/x/y/Own: (UTC+01:00)
            BEGIN:STANDARD
            DTSTART:19700101T000000
            TZOFFSETFROM:+0100
            TZOFFSETTO:+0100
            END:STANDARD
            BEGIN:DAYLIGHT
            DTSTART:20260329T020000
            RDATE:20270328T020000
            TZOFFSETFROM:+0100
            TZOFFSETTO:+0200
            END:DAYLIGHT
            BEGIN:STANDARD
            DTSTART:20261025T030000
            TZOFFSETFROM:+0200
            TZOFFSETTO:+0100
            RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10;UNTIL=20271031T010000Z
            END:STANDARD
            END:VTIMEZONE
            """;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Europe/Berlin",
                "\"Europe/Berlin\"",
                "\"W. Europe Standard Time\"",
                "W. Europe Standard Time",
                "\"Somewhere\\, else\"",
                "\"/x/y/Own: (UTC+01:00)\"",
                "/mozilla.org/20070129_1/Europe/Berlin",
                "/Europe/Berlin"
            })
    void a_zone_is_found_in_the_database_or_in_the_file(String zone) {
        String file = "BEGIN:VCALENDAR\n" + OUTLOOK + "BEGIN:VEVENT\nDTSTART;X-A=\"b:c;d\";TZID=" + zone
                + ":20260101T120000\n" + "DURATION:PT1H\nRDATE;TZID=" + zone
                + ":20260701T120000,20270701T120000\nEND:VEVENT\nEND:VCALENDAR\n";
        var spans =
                HolidayFile.read(file.getBytes(StandardCharsets.UTF_8), "UTC").get("spans");
        assertEquals("2026-01-01T11:00:00.000Z", spans.at("/0/from").textValue());
        assertEquals("2026-07-01T10:00:00.000Z", spans.at("/1/from").textValue());
        assertEquals("2027-07-01T10:00:00.000Z", spans.at("/2/from").textValue());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 7, 75})
    void lines_may_be_folded_anywhere(int width) throws IOException {
        String file = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nSUMMARY:Fête 日本 🎉\r\n"
                + "DTSTART;VALUE=DATE:20261224\r\nDTEND;VALUE=DATE:20261225\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";
        byte[] folded = folded(file.getBytes(StandardCharsets.UTF_8), width, "\r\n ");
        assertEquals(
                "[\"2026-12-24\"]", HolidayFile.read(folded, null).get("dates").toString());
        assertEquals(-1, HolidayFile.text(folded).indexOf('\ufffd'));
        assertEquals(
                "[\"2026-12-24\"]",
                HolidayFile.read(HolidayFile.text(folded).getBytes(StandardCharsets.UTF_8), null)
                        .get("dates")
                        .toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"\r\n", "\n", "\r"})
    void any_line_end_will_do_and_empty_lines_mean_nothing(String end) {
        String file = "\ufeffBEGIN:VCALENDAR||begin:vevent|dtstart;value=date:20261|\t224|END:VEVENT|END:VCALENDAR||";
        assertEquals(
                "[\"2026-12-24\"]",
                HolidayFile.read(file.replace("|", end).getBytes(StandardCharsets.UTF_8), null)
                        .get("dates")
                        .toString());
    }

    @Test
    void alarms_and_to_dos_are_not_taken_for_events() {
        String file = """
                BEGIN:VCALENDAR
                BEGIN:VTODO
                DTSTART:20261220
                END:VTODO
                BEGIN:VEVENT
                DTSTART;VALUE=DATE:20261224
                BEGIN:VALARM
                TRIGGER:-PT15M
                DURATION:PT15M
                REPEAT:4
                END:VALARM
                END:VEVENT
                END:VCALENDAR
                """;
        assertEquals(
                "[\"2026-12-24\"]",
                HolidayFile.read(file.getBytes(StandardCharsets.UTF_8), null)
                        .get("dates")
                        .toString());
    }

    private static byte[] folded(byte[] file, int width, String fold) throws IOException {
        ByteArrayOutputStream folded = new ByteArrayOutputStream();
        int column = 0;
        for (byte b : file) {
            if (column == width && b != '\r' && b != '\n') {
                folded.write(fold.getBytes(StandardCharsets.US_ASCII));
                column = 0;
            }
            folded.write(b);
            column = b == '\n' ? 0 : column + (b == '\r' ? 0 : 1);
        }
        return folded.toByteArray();
    }
}
