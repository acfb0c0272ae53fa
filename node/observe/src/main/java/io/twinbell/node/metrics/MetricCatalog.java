package io.twinbell.node.metrics;

import io.twinbell.node.metrics.MetricCatalog.MetricFamily.Kind;
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
        seconds(
                "transition_millis",
                "leader_transition_seconds",
                "Duration of this node's last role change, in seconds");
        seconds(
                "heartbeat_age_millis",
                "heartbeat_age_seconds",
                "Age of the newest heartbeat of the master that this node has seen, in seconds");
        flag("standby_present", "1 if this node sees a standby that reaches the database, else 0");
        flag("failover_ready", "1 if, as far as this node knows, a takeover would now succeed and be fast, else 0");
        flag("database_reached", "1 if this node reaches the database and can write to it, else 0");
        gauge(
                "database_primaries",
                "Servers of database.url that accept writes, as asked every 5 s; 1 if it names only one host");
        flag("zookeeper_reached", "1 if this node is connected to ZooKeeper, else 0");
        seconds(
                "zookeeper_session_timeout_millis",
                "zookeeper_session_timeout_seconds",
                "The session timeout that ZooKeeper granted, in seconds; 0 before the first session");
        seconds(
                "zookeeper_session_timeout_asked_millis",
                "zookeeper_session_timeout_asked_seconds",
                "The session timeout that zookeeper.sessionTimeout requests, in seconds");
        flag("database_lock_held", "1 if this node holds the master's database lock, else 0");
        flag("fast_takeover_armed", "1 if this node is ready for fast takeover, else 0");
        flag("takeover_on_hold", "1 if automatic takeover is on hold, else 0");
        flag("takeover_held_back", "1 if a hold keeps this node from taking over now, else 0");
        flag("firing_paused", "1 if firing is paused on the whole pair, else 0");
        gauge("standing_pauses", "Standing pauses of apps, tags and handlers that are open, as last read");
        seconds(
                "clock_offset_millis",
                "clock_offset_seconds",
                "The database's clock minus this machine's clock, in seconds");
        part("takeover_verdicts.alive", verdicts(), "ALIVE");
        part("takeover_verdicts.dead", verdicts(), "DEAD");
        part("takeover_verdicts.lost", verdicts(), "LOST");

        gauge("heap_size", "Entries of the task heap, including system tasks; a standby has only system tasks");
        seconds(
                "heap_head_lag_millis",
                "scheduler_lag_seconds",
                "Age of the oldest slot that is due but not started, or ended but not recorded, in seconds; 0 if none");
        seconds(
                "unrecorded_millis",
                "unrecorded_age_seconds",
                "Age of the oldest execution end that is not recorded yet, in seconds; 0 if none");
        flag(
                "firing_stalled",
                "1 if, as far as this node knows, planned fires have not been started or recorded for 15 s, else 0");
        seconds(
                "rebuild_millis",
                "rebuild_seconds",
                "Duration of the last rebuild of the task heap, in seconds; absent before the first");
        number("heap_misses", "heap_misses_total", "Overdue tasks that were missing from the heap; should stay zero");
        gauge("action_queue_depth", "Actions that wait for the trigger thread");
        gauge("action_queue_capacity", "Actions that the queue can hold");
        gauge("workers", "Threads of the worker pool");
        gauge("workers_active", "Threads of the worker pool that are running a handler");
        gauge("workers_queued", "Claimed executions that wait for a worker");
        gauge("workers_abandoned", "Threads that were abandoned because their handler does not return");
        gauge("runs_in_flight", "Claimed executions that are waiting or running");
        gauge("runs_parked", "Claimed executions whose outcome comes by a callback");
        gauge("tasks_waiting_for_limits", "Due tasks that wait for a limit");
        gauge("stuck_executions", "Executions that the stuck detector reports");
        gauge(
                "slots_in_doubt",
                "Slots found in doubt in the last 24 hours: the primary was lost together with the master, so they"
                        + " may have run");
        gauge("apps_at_quota", "Apps that have reached a quota; 0 on the standby");
        gauge("apps_at_fire_quota", "Apps that have used quotas.firesPerMinute, so their due executions wait");
        gauge(
                "http_certificate_expiry_seconds",
                "Time until the certificate of the HTTP API ends, in seconds; absent without TLS");
        gauge(
                "snapshot_held_seconds",
                "Age of the oldest snapshot that keeps vacuum from cleaning up this database, in seconds; 0 up to a"
                        + " minute");
        number(
                "http_refused_tokens",
                "http_refused_tokens_total",
                "Requests to this node with an unknown, revoked or expired token");
        number(
                "http_throttled",
                "http_throttled_total",
                "Requests that this node has refused because of their client's rate or its number of unfinished requests");
        number(
                "refused_attempts",
                "refused_attempts_total",
                "Requests, logins and JMX calls that this node has refused for lack of credentials or rights");
        gauge("tasks_in_error", "Tasks in state ERROR, which do not fire because they cannot be read; at most 10,000");

        number("claimed", "claims_total", "Executions that this node has claimed");
        MetricFamily executions = family(
                "executions_total",
                Kind.COUNTER,
                "state",
                "Attempts of this node whose end was recorded or refused, by final state or SNOOZED");
        for (String state :
                new String[] {"succeeded", "failed", "timed_out", "cancelled", "skipped", "missed", "dropped", "snoozed"
                }) {
            part("executions." + state, executions, state.toUpperCase(Locale.ROOT));
        }
        MetricFamily missed = family(
                "missed_total",
                Kind.COUNTER,
                "reason",
                "Slots recorded as MISSED: overdue by more than the misfire threshold, expired, or older than the retention");
        part("missed_slots.misfire", missed, "misfire");
        part("missed_slots.expired", missed, "expired");
        part("missed_slots.retention", missed, "retention");
        MetricFamily skipped = family(
                "skipped_total",
                Kind.COUNTER,
                "reason",
                "Slots recorded as SKIPPED without a claim: firing was paused, or the rules of a time zone changed");
        part("skipped_slots.paused", skipped, "paused");
        part("skipped_slots.zone_rules", skipped, "zone_rules");
        MetricFamily orphans = family(
                "orphans_total", Kind.COUNTER, "settled", "Orphans that this node has settled as master, by outcome");
        part("orphans.rerun", orphans, "rerun");
        part("orphans.dropped", orphans, "dropped");
        part("orphans.failed", orphans, "failed");
        number(
                "fenced_writes",
                "fenced_writes_total",
                "Writes of this node that were refused because its epoch had ended");
        timer(
                "lateness",
                "lateness_seconds",
                "Start of a first attempt minus its fire time, without runs on request, in seconds");
        timer("duration", "duration_seconds", "Duration of attempts, in seconds");

        BY_PREFIX.put(
                "http_profile_certificate_expiry_seconds",
                new Entry(
                        family(
                                "http_profile_certificate_expiry_seconds",
                                Kind.GAUGE,
                                "profile",
                                "Time until the client certificate of this http profile ends, in seconds; absent"
                                        + " without one"),
                        null,
                        ONE));
        BY_PREFIX.put(
                "loop_stalled_millis",
                new Entry(
                        family(
                                "loop_stalled_seconds",
                                Kind.GAUGE,
                                "loop",
                                "How long this loop of the node has failed without a success, in seconds; 0 while"
                                        + " it makes progress"),
                        null,
                        MILLIS));
        BY_PREFIX.put(
                "loop_set_aside",
                new Entry(
                        family(
                                "loop_set_aside_total",
                                Kind.COUNTER,
                                "loop",
                                "Items that this loop of the node set aside because they kept failing; should stay"
                                        + " zero"),
                        null,
                        ONE));

        number("alerts_delivered", "alerts_delivered_total", "Alerts that were delivered");
        number("alerts_failed_attempts", "alerts_failed_attempts_total", "Failed attempts to deliver an alert");
        number("alerts_given_up", "alerts_given_up_total", "Alerts that could not be delivered");
        add(
                "version",
                new Entry(family("build_info", Kind.INFO, "version", "1; the label names the version"), null, ONE));
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
                "How this node judged the master when the master's database lock became free");
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

    /**
     * Metrics that share a Prometheus name and differ in at most one label.
     *
     * @param name as a scraper sees it, with the suffix of its kind
     * @param label the label's name; null for none
     * @param help a sentence that describes the metric and its unit
     */
    record MetricFamily(String name, Kind kind, String label, String help) {
        private static final String COUNTER_SUFFIX = "_total";
        static final String INFO_SUFFIX = "_info";

        /** The Prometheus type of a family. */
        enum Kind {
            GAUGE,
            COUNTER,
            HISTOGRAM,
            INFO
        }

        /** The name without its suffix, which Prometheus' library adds itself. */
        String plainName() {
            return switch (kind) {
                case COUNTER -> without(COUNTER_SUFFIX);
                case INFO -> without(INFO_SUFFIX);
                case GAUGE, HISTOGRAM -> name;
            };
        }

        private String without(String suffix) {
            return name.endsWith(suffix) ? name.substring(0, name.length() - suffix.length()) : name;
        }
    }
}
