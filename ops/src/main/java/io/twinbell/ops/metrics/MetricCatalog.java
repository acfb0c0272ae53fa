package io.twinbell.ops.metrics;

import io.twinbell.ops.metrics.MetricFamily.Kind;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Maps each metric of a node's registry to its Prometheus name, label and description. Dropwizard has neither labels
 * nor descriptions. METRICS-JMX.md documents the same metrics, and a test compares the two.
 */
final class MetricCatalog {
    private static final double ONE = 1;
    private static final double MILLIS = 0.001;
    private static final Map<String, Entry> ENTRIES = new LinkedHashMap<>();
    /** Families whose label values the node chooses, by the part before the dot in the registry's name. */
    private static final Map<String, Entry> BY_PREFIX = new LinkedHashMap<>();

    /**
     * A registry metric as a member of a family.
     *
     * @param labelValue null if the family has no label, or if the metric's own text is the value
     * @param scale the factor that converts a value to the family's unit
     */
    record Entry(MetricFamily family, String labelValue, double scale) {}

    static {
        flag("leader", "1 if this node is master, else 0; the sum over the nodes should be 1");
        gauge("epoch", "The number of the newest epoch that this node knows");
        number("role_transitions", "leader_transitions_total", "Changes of this node's role since it started");
        seconds("transition_millis", "leader_transition_seconds", "How long the last change of role took, in seconds");
        seconds(
                "heartbeat_age_millis",
                "heartbeat_age_seconds",
                "Age of the master's newest heartbeat that this node knows, in seconds");
        flag("standby_present", "1 if a node stands by that reaches the database, as far as this node knows, else 0");
        flag("failover_ready", "1 if, as far as this node knows, a takeover would succeed now and be fast, else 0");
        flag("database_reached", "1 if the database answers this node and takes writes, else 0");
        flag("zookeeper_reached", "1 if this node is connected to ZooKeeper, else 0");
        seconds(
                "zookeeper_session_timeout_millis",
                "zookeeper_session_timeout_seconds",
                "The session timeout that ZooKeeper granted, in seconds; 0 before the first session");
        seconds(
                "zookeeper_session_timeout_asked_millis",
                "zookeeper_session_timeout_asked_seconds",
                "The session timeout that zookeeper.sessionTimeout asks for, in seconds");
        flag("database_lock_held", "1 if this node holds the master's database lock, else 0");
        flag("fast_takeover_armed", "1 if this node's part in fast takeover is ready, else 0");
        flag("takeover_on_hold", "1 if automatic takeover is on hold, else 0");
        flag("takeover_held_back", "1 if this node would take over and a hold keeps it from that, else 0");
        flag("firing_paused", "1 if firing is paused on the whole pair, else 0");
        seconds(
                "clock_offset_millis",
                "clock_offset_seconds",
                "How far the database's clock is ahead of this machine's, in seconds");
        part("takeover_verdicts.alive", verdicts(), "ALIVE");
        part("takeover_verdicts.dead", verdicts(), "DEAD");
        part("takeover_verdicts.lost", verdicts(), "LOST");

        gauge("heap_size", "Entries of the task heap, system tasks included; a standby has only those");
        seconds(
                "heap_head_lag_millis",
                "scheduler_lag_seconds",
                "Age of the oldest slot that is due and not started, or ended and not recorded, in seconds; 0 for none");
        seconds(
                "unrecorded_millis",
                "unrecorded_age_seconds",
                "Age of the oldest end of an execution that is not recorded yet, in seconds; 0 for none");
        flag(
                "firing_stalled",
                "1 if, as far as this node knows, planned fires have not been started or recorded for 15 s, else 0");
        seconds(
                "rebuild_millis",
                "rebuild_seconds",
                "How long the last rebuild of the task heap took, in seconds; absent before the first");
        number("heap_misses", "heap_misses_total", "Overdue tasks that the heap lacked; should stay zero");
        gauge("action_queue_depth", "Actions that wait for the trigger thread");
        gauge("action_queue_capacity", "Actions that the queue can hold");
        gauge("workers", "Threads of the worker pool");
        gauge("workers_active", "Threads of the worker pool that run a handler now");
        gauge("workers_queued", "Claimed executions that wait for a worker");
        gauge("workers_abandoned", "Threads that were given up because their handler does not return");
        gauge("runs_in_flight", "Claimed executions that wait or run");
        gauge("tasks_waiting_for_limits", "Due tasks that have no room under a limit");
        gauge("stuck_executions", "Executions that the stuck detector points at");
        gauge(
                "slots_in_doubt",
                "Slots that were found in doubt within 24 hours: they may have run on a primary that was lost together"
                        + " with its master");
        gauge(
                "snapshot_held_seconds",
                "Age of the oldest snapshot that holds vacuum up in this database; 0 up to a minute");
        gauge("tasks_in_error", "Tasks in state ERROR, which fire no more because they cannot be read; up to 10,000");

        number("claimed", "claims_total", "Executions that this node has claimed");
        MetricFamily executions = family(
                "executions_total",
                Kind.COUNTER,
                "state",
                "Attempts of this node whose end was recorded, or refused, by the state they ended in");
        for (String state :
                new String[] {"succeeded", "failed", "timed_out", "cancelled", "skipped", "missed", "dropped"}) {
            part("executions." + state, executions, state.toUpperCase(Locale.ROOT));
        }
        MetricFamily missed = family(
                "missed_total",
                Kind.COUNTER,
                "reason",
                "Slots that were entered as MISSED: overdue by more than the misfire threshold, or older than the retention");
        part("missed_slots.misfire", missed, "misfire");
        part("missed_slots.retention", missed, "retention");
        MetricFamily skipped = family(
                "skipped_total",
                Kind.COUNTER,
                "reason",
                "Slots that were entered as SKIPPED without a claim: firing was paused, or the rules of a zone changed");
        part("skipped_slots.paused", skipped, "paused");
        part("skipped_slots.zone_rules", skipped, "zone_rules");
        MetricFamily orphans = family(
                "orphans_total",
                Kind.COUNTER,
                "settled",
                "Orphans that this node has settled as master, by what became of them");
        part("orphans.rerun", orphans, "rerun");
        part("orphans.dropped", orphans, "dropped");
        part("orphans.failed", orphans, "failed");
        number(
                "fenced_writes",
                "fenced_writes_total",
                "Writes of this node that were refused because its epoch was over");
        timer("lateness", "lateness_seconds", "Start of an attempt minus its fire time, in seconds");
        timer("duration", "duration_seconds", "How long attempts took, in seconds");

        BY_PREFIX.put(
                "loop_stalled_millis",
                new Entry(
                        family(
                                "loop_stalled_seconds",
                                Kind.GAUGE,
                                "loop",
                                "How long this part of the node has failed without a success between, in seconds;"
                                        + " 0 while it makes progress"),
                        null,
                        MILLIS));
        BY_PREFIX.put(
                "loop_set_aside",
                new Entry(
                        family(
                                "loop_set_aside_total",
                                Kind.COUNTER,
                                "loop",
                                "Items that this part of the node set aside because they failed by themselves;"
                                        + " should stay zero"),
                        null,
                        ONE));

        number("alerts_delivered", "alerts_delivered_total", "Alerts that were delivered");
        number("alerts_failed_attempts", "alerts_failed_attempts_total", "Attempts to deliver an alert that failed");
        number("alerts_given_up", "alerts_given_up_total", "Alerts that could not be delivered");
        add(
                "version",
                new Entry(family("build_info", Kind.INFO, "version", "1; the label tells the build"), null, ONE));
    }

    private MetricCatalog() {}

    static Optional<Entry> of(String dropwizardName) {
        Entry entry = ENTRIES.get(dropwizardName);
        int dot = dropwizardName.indexOf('.');
        if (entry == null && dot > 0 && BY_PREFIX.containsKey(dropwizardName.substring(0, dot))) {
            Entry any = BY_PREFIX.get(dropwizardName.substring(0, dot));
            entry = new Entry(any.family(), dropwizardName.substring(dot + 1), any.scale());
        }
        return Optional.ofNullable(entry);
    }

    static Collection<MetricFamily> families() {
        Map<String, MetricFamily> byName = new LinkedHashMap<>();
        ENTRIES.values().forEach(entry -> byName.put(entry.family().name(), entry.family()));
        BY_PREFIX.values().forEach(entry -> byName.put(entry.family().name(), entry.family()));
        return byName.values();
    }

    private static MetricFamily verdicts() {
        return family(
                "takeover_verdicts_total",
                Kind.COUNTER,
                "verdict",
                "What this node found of the master when the database lock fell free");
    }

    private static void flag(String name, String help) {
        gauge(name, help);
    }

    private static void gauge(String name, String help) {
        add(name, new Entry(family(name, Kind.GAUGE, null, help), null, ONE));
    }

    private static void seconds(String millis, String name, String help) {
        add(millis, new Entry(family(name, Kind.GAUGE, null, help), null, MILLIS));
    }

    private static void number(String name, String total, String help) {
        add(name, new Entry(family(total, Kind.COUNTER, null, help), null, ONE));
    }

    private static void timer(String name, String seconds, String help) {
        add(name, new Entry(family(seconds, Kind.HISTOGRAM, null, help), null, ONE));
    }

    private static void part(String name, MetricFamily family, String labelValue) {
        add(name, new Entry(family, labelValue, ONE));
    }

    private static void add(String name, Entry entry) {
        ENTRIES.put(name, entry);
    }

    private static MetricFamily family(String name, Kind kind, String label, String help) {
        return new MetricFamily("twinbell_" + name, kind, label, help);
    }
}
