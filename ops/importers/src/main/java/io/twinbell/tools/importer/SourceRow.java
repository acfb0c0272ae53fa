package io.twinbell.tools.importer;

import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A row of another scheduler's table. A value of another kind than the scheduler writes is an error that names the
 * column: nothing is read as 0, false or an empty text.
 *
 * @param columns the index of each column by its name in capitals
 */
public record SourceRow(Map<String, Integer> columns, Object[] values) {
    /** A row without columns, for a trigger of which no row exists. */
    public static final SourceRow NONE = new SourceRow(Map.of(), new Object[0]);

    /** The value as the driver gave it; null also if the table does not have the column. */
    public Object value(String column) {
        Integer index = columns.get(column);
        return index == null ? null : values[index];
    }

    /** The value as text, or null. */
    public String text(String column) {
        Object value = value(column);
        return value == null ? null : value.toString();
    }

    /** @throws IllegalArgumentException if there is none */
    public String requiredText(String column) {
        String text = text(column);
        if (text == null || text.isEmpty()) {
            throw new IllegalArgumentException("column " + column + " is empty");
        }
        return text;
    }

    /** @throws IllegalArgumentException if the value is missing, or is not a whole number of 64 bits */
    public long number(String column) {
        try {
            return new BigDecimal(requiredText(column)).longValueExact();
        } catch (ArithmeticException | NumberFormatException e) {
            throw wrong(column, "a whole number");
        }
    }

    /** The same; {@code otherwise} if the value is missing. */
    public long number(String column, long otherwise) {
        return value(column) == null ? otherwise : number(column);
    }

    /**
     * Databases without booleans have numbers or letters.
     *
     * @throws IllegalArgumentException if the value is missing, or means neither yes nor no
     */
    public boolean is(String column) {
        return switch (requiredText(column).toUpperCase(Locale.ROOT)) {
            case "TRUE", "T", "Y", "1" -> true;
            case "FALSE", "F", "N", "0" -> false;
            default -> throw wrong(column, "true or false");
        };
    }

    /** A time with its zone, as drivers give it. @throws IllegalArgumentException if it has none */
    public Instant instant(String column) {
        Object value = value(column);
        if (value instanceof Instant instant) {
            return instant;
        }
        try {
            return value instanceof OffsetDateTime time ? time.toInstant() : Instant.parse(requiredText(column));
        } catch (DateTimeException e) {
            throw wrong(column, "a time with a zone");
        }
    }

    /** A binary value, or null. @throws IllegalArgumentException if the column has another type */
    public byte[] bytes(String column) {
        Object value = value(column);
        if (value == null || value instanceof byte[]) {
            return (byte[]) value;
        }
        throw new IllegalArgumentException(
                "column " + column + " is not binary; it may be the number of a large object");
    }

    private IllegalArgumentException wrong(String column, String what) {
        String text = String.valueOf(value(column));
        return new IllegalArgumentException("column " + column + " is \""
                + (text.length() <= 100 ? text : text.substring(0, 100) + "…") + "\", and not " + what);
    }

    /** The first of these columns that is missing, or null. */
    static String missing(Map<String, Integer> columns, List<String> required) {
        return required.stream()
                .filter(column -> !columns.containsKey(column))
                .findFirst()
                .orElse(null);
    }
}
