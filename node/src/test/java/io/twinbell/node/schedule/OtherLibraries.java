package io.twinbell.node.schedule;

import com.cronutils.model.CronType;
import com.cronutils.model.definition.CronDefinitionBuilder;
import com.cronutils.model.time.ExecutionTime;
import com.cronutils.parser.CronParser;
import io.twinbell.node.engine.task.Schedule;
import java.text.ParseException;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Date;
import java.util.TimeZone;
import java.util.function.LongUnaryOperator;
import org.springframework.scheduling.support.CronExpression;

/** Quartz, Spring and cron-utils as functions from an instant to the fire after it, or before it. */
final class OtherLibraries {
    private OtherLibraries() {}

    static LongUnaryOperator quartz(String text, String zone) {
        org.quartz.CronExpression expression = quartzExpression(text, zone);
        return after -> {
            Date next = expression.getNextValidTimeAfter(new Date(after));
            return next == null ? Schedule.NEVER : next.getTime();
        };
    }

    static LongUnaryOperator quartzBackwards(String text, String zone) {
        org.quartz.CronExpression expression = quartzExpression(text, zone);
        return before -> {
            Date previous = expression.getTimeBefore(new Date(before));
            return previous == null ? Schedule.NONE_BEFORE : previous.getTime();
        };
    }

    static LongUnaryOperator spring(String text, String zone) {
        CronExpression expression = CronExpression.parse(text);
        return after -> {
            ZonedDateTime next = expression.next(Instant.ofEpochMilli(after).atZone(ZoneId.of(zone)));
            return next == null ? Schedule.NEVER : next.toInstant().toEpochMilli();
        };
    }

    static LongUnaryOperator cronUtils(String text, CronType type, String zone) {
        ExecutionTime time = executionTime(text, type);
        return after -> time.nextExecution(Instant.ofEpochMilli(after).atZone(ZoneId.of(zone)))
                .map(next -> next.toInstant().toEpochMilli())
                .orElse(Schedule.NEVER);
    }

    static LongUnaryOperator cronUtilsBackwards(String text, CronType type, String zone) {
        ExecutionTime time = executionTime(text, type);
        return before -> time.lastExecution(Instant.ofEpochMilli(before).atZone(ZoneId.of(zone)))
                .map(last -> last.toInstant().toEpochMilli())
                .orElse(Schedule.NONE_BEFORE);
    }

    private static org.quartz.CronExpression quartzExpression(String text, String zone) {
        try {
            org.quartz.CronExpression expression = new org.quartz.CronExpression(text);
            expression.setTimeZone(TimeZone.getTimeZone(zone));
            return expression;
        } catch (ParseException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private static ExecutionTime executionTime(String text, CronType type) {
        return ExecutionTime.forCron(new CronParser(CronDefinitionBuilder.instanceDefinitionFor(type)).parse(text));
    }
}
