package io.twinbell.node.schedule.local;

/**
 * Gregorian calendar arithmetic on primitives, for days since 1970-01-01, from the year -399 on. {@code LocalDate} gives
 * the same results but allocates. The algorithms are from Howard Hinnant's "chrono-Compatible Low-Level Date
 * Algorithms".
 */
public final class CivilDate {
    private static final int DAYS_PER_400_YEARS = 146_097;
    /** The algorithms need days that are not negative, so they count from before the year 0. */
    private static final int DAYS_FROM_MARCH_OF_MINUS_400 = 719_468 + DAYS_PER_400_YEARS;

    private CivilDate() {}

    /** Packs year, month and day into one int, for {@link #year}, {@link #month} and {@link #day}. */
    public static int date(int epochDay) {
        int shifted = epochDay + DAYS_FROM_MARCH_OF_MINUS_400;
        int era = shifted / DAYS_PER_400_YEARS;
        int dayOfEra = shifted % DAYS_PER_400_YEARS;
        int yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365;
        int dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
        int monthFromMarch = (5 * dayOfYear + 2) / 153;
        int day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1;
        int month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
        int year = yearOfEra + (era - 1) * 400 + (month <= 2 ? 1 : 0);
        return year << 9 | month << 5 | day;
    }

    public static int year(int date) {
        return date >> 9;
    }

    public static int month(int date) {
        return date >> 5 & 15;
    }

    public static int day(int date) {
        return date & 31;
    }

    public static int epochDay(int year, int month, int day) {
        int shiftedYear = year + 400 - (month <= 2 ? 1 : 0);
        int era = shiftedYear / 400;
        int yearOfEra = shiftedYear % 400;
        int dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
        int dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear;
        return era * DAYS_PER_400_YEARS + dayOfEra - DAYS_FROM_MARCH_OF_MINUS_400;
    }

    /** Returns the weekday; 0 is Sunday. */
    public static int weekday(int epochDay) {
        return Math.floorMod(epochDay + 4, 7);
    }

    public static int monthLength(int year, int month) {
        if (month == 2) {
            return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28;
        }
        return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
    }
}
