package io.twinbell.node.calendar.ical;

import io.twinbell.node.json.InvalidJsonException;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * Reads and unfolds the lines of an iCalendar file. Lines are unfolded as bytes, because a program may fold a line
 * within a character (RFC 5545, 3.1).
 */
public final class ContentLines {
    /** Continuations included. */
    static final int MAX_LINES = 100_000;

    private static final int MAX_LINE_BYTES = 256 * 1024;
    private static final byte[] BYTE_ORDER_MARK = {(byte) 0xef, (byte) 0xbb, (byte) 0xbf};

    private final byte[] file;
    private int at;
    private int physicalLine;
    private int number;
    private int count;

    ContentLines(byte[] file) {
        this.file = file;
        for (int i = 0; i < BYTE_ORDER_MARK.length && i < file.length && file[i] == BYTE_ORDER_MARK[i]; i++) {
            if (i == BYTE_ORDER_MARK.length - 1) {
                at = BYTE_ORDER_MARK.length;
            }
        }
    }

    /**
     * Returns the file as text. If lines are folded within characters, the text is unfolded.
     *
     * @param file that {@link CalendarComponent#read} has accepted
     */
    public static String text(byte[] file) {
        try {
            return decoded(file, file.length);
        } catch (CharacterCodingException e) {
            return unfolded(file);
        }
    }

    private static String unfolded(byte[] file) {
        ContentLines lines = new ContentLines(file);
        StringBuilder text = new StringBuilder(file.length);
        for (String line = lines.next(); line != null; line = lines.next()) {
            text.append(line).append("\r\n");
        }
        return text.toString();
    }

    /** Returns the number of the line that was returned last; after the end, of the last line of the file. */
    int number() {
        return number;
    }

    /**
     * Returns the next non-empty line, or null at the end.
     *
     * @throws InvalidJsonException if the line is too long or not UTF-8, or if the file has too many lines
     */
    String next() {
        String line = "";
        while (line.isEmpty()) {
            if (at == file.length) {
                number = Math.max(1, physicalLine);
                return null;
            }
            line = unfold();
        }
        if (++count > MAX_LINES) {
            throw ContentLine.refusal(number, "the file has more than " + MAX_LINES + " properties");
        }
        return line;
    }

    private String unfold() {
        number = physicalLine + 1;
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        do {
            int start = at;
            while (at < file.length && file[at] != '\r' && file[at] != '\n') {
                at++;
            }
            if (line.size() + (at - start) > MAX_LINE_BYTES) {
                throw ContentLine.refusal(number, "is longer than " + MAX_LINE_BYTES + " bytes");
            }
            line.write(file, start, at - start);
            skipLineEnd();
            physicalLine++;
        } while (isFolded());
        try {
            String text = decoded(line.toByteArray(), line.size());
            if (text.indexOf('\0') >= 0) {
                throw ContentLine.refusal(number, "the character U+0000 can't be stored");
            }
            return text;
        } catch (CharacterCodingException e) {
            throw ContentLine.refusal(number, "is not UTF-8");
        }
    }

    /** Accepts CRLF, as the standard requires, and also LF or CR alone. */
    private void skipLineEnd() {
        if (at < file.length && file[at] == '\r') {
            at++;
        }
        if (at < file.length && file[at] == '\n') {
            at++;
        }
    }

    /** Skips the one space or tab that marks a fold. */
    private boolean isFolded() {
        if (at < file.length && (file[at] == ' ' || file[at] == '\t')) {
            at++;
            return true;
        }
        return false;
    }

    private static String decoded(byte[] bytes, int length) throws CharacterCodingException {
        return StandardCharsets.UTF_8
                .newDecoder()
                .decode(ByteBuffer.wrap(bytes, 0, length))
                .toString();
    }
}
