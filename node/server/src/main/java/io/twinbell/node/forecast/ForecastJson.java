package io.twinbell.node.forecast;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.json.Instants;
import io.twinbell.persistence.task.TaskName;
import java.time.Duration;

/** The JSON of a forecast. */
public final class ForecastJson {
    private static final long HOUR = 3_600_000;

    private ForecastJson() {}

    public static ObjectNode of(Forecast forecast) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("from", Instants.text(forecast.fromMillis()));
        json.put("until", Instants.text(forecast.untilMillis()));
        json.put("complete", forecast.isComplete());
        json.put("tasks", forecast.tasks());
        json.put("unreadableTasks", forecast.unreadable());
        json.put("runs", forecast.runs());
        json.put("skippedSlots", forecast.skippedSlots());
        hours(json.putArray("hours"), forecast);
        busiest(json.putArray("busiestMinutes"), forecast);
        json.put("limitStep", forecast.step().toString());
        limits(json.putArray("limits"), forecast);
        ArrayNode skips = json.putArray("skips");
        forecast.mostSkipping()
                .forEach(task -> named(skips.addObject(), task.name()).put("slots", task.slots()));
        json.put("endingTasks", forecast.endingTasks());
        ArrayNode ending = json.putArray("ending");
        forecast.ending()
                .forEach(task -> named(ending.addObject(), task.name())
                        .put("lastFireTime", Instants.text(task.lastFireMillis())));
        ArrayNode changes = json.putArray("clockChanges");
        forecast.clockChanges()
                .forEach(change -> changes.addObject()
                        .put("zone", change.zone())
                        .put("at", Instants.text(change.atMillis()))
                        .put("offsetBefore", change.before())
                        .put("offsetAfter", change.after()));
        return json;
    }

    private static ObjectNode named(ObjectNode json, TaskName name) {
        return json.put("app", name.app()).put("name", name.name());
    }

    private static void hours(ArrayNode json, Forecast forecast) {
        int[] hours = forecast.byHour();
        for (int hour = 0; hour < hours.length; hour++) {
            if (hours[hour] > 0) {
                json.addObject()
                        .put("at", Instants.text(forecast.gridMillis() + hour * HOUR))
                        .put("runs", hours[hour]);
            }
        }
    }

    private static void busiest(ArrayNode json, Forecast forecast) {
        forecast.busiest().forEach(minute -> {
            ObjectNode one = json.addObject()
                    .put("at", Instants.text(minute.atMillis()))
                    .put("runs", minute.runs())
                    .put("peakAt", Instants.text(minute.peakMillis()))
                    .put("peakRuns", minute.peakRuns());
            ArrayNode first = one.putArray("first");
            minute.first().forEach(name -> named(first.addObject(), name));
        });
    }

    private static void limits(ArrayNode json, Forecast forecast) {
        forecast.exceededLimits().forEach(exceeded -> {
            ObjectNode one = json.addObject().put("key", exceeded.limit().key());
            if (exceeded.isRate()) {
                one.put("maxStarts", exceeded.limit().rate().max())
                        .put("per", exceeded.limit().rate().per().toString());
            } else {
                one.put("maxRunning", exceeded.limit().maxRunning());
            }
            one.put("demand", exceeded.most());
            one.put("firstAt", Instants.text(exceeded.firstMillis()));
            one.put("peakAt", Instants.text(exceeded.peakMillis()));
            one.put("binds", Duration.ofMillis(exceeded.bindingMillis()).toString());
        });
    }
}
