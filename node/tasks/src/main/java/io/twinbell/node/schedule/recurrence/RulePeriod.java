package io.twinbell.node.schedule.recurrence;

import io.twinbell.node.schedule.local.CivilDate;

/** A unit of INTERVAL: day, week, month or year. Its periods are numbered and consist of whole days. */
enum RulePeriod {
    DAY {
        @Override
        int of(int day, int weekStart) {
            return day;
        }

        @Override
        int first(int period, int weekStart) {
            return period;
        }
    },
    WEEK {
        @Override
        int of(int day, int weekStart) {
            return Math.floorDiv(day + THURSDAY - weekStart, 7);
        }

        @Override
        int first(int period, int weekStart) {
            return period * 7 - THURSDAY + weekStart;
        }
    },
    MONTH {
        @Override
        int of(int day, int weekStart) {
            int date = CivilDate.date(day);
            return CivilDate.year(date) * 12 + CivilDate.month(date) - 1;
        }

        @Override
        int first(int period, int weekStart) {
            return CivilDate.epochDay(period / 12, period % 12 + 1, 1);
        }
    },
    YEAR {
        @Override
        int of(int day, int weekStart) {
            return CivilDate.year(CivilDate.date(day));
        }

        @Override
        int first(int period, int weekStart) {
            return CivilDate.epochDay(period, 1, 1);
        }
    },
    /** A year of whole weeks: its first week contains the fourth of January. */
    WEEK_YEAR {
        @Override
        int of(int day, int weekStart) {
            int year = YEAR.of(day, weekStart);
            if (day < first(year, weekStart)) {
                return year - 1;
            }
            return day < first(year + 1, weekStart) ? year : year + 1;
        }

        @Override
        int first(int period, int weekStart) {
            return WEEK.first(WEEK.of(CivilDate.epochDay(period, 1, 4), weekStart), weekStart);
        }
    };

    /** 1970-01-01 was a Thursday; Sunday is 0. */
    private static final int THURSDAY = 4;

    /** Returns the number of the period that contains a day. */
    abstract int of(int day, int weekStart);

    /** Returns the first day of a period. */
    abstract int first(int period, int weekStart);
}
