package io.twinbell.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The house rules that a machine can check: dependencies, cycles, clocks, threads, names, and the budget of lines. */
class ArchitectureTest {
    private static final JavaClasses ALL = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            // After packaging, persistence's test support is a jar, which the option above does not exclude.
            .withImportOption(location -> !location.contains("-tests.jar"))
            .importPackages("io.twinbell");

    private static final Set<String> CLOCKS = Set.of(
            "java.lang.System.nanoTime",
            "java.lang.System.currentTimeMillis",
            "java.lang.Thread.sleep",
            "java.time.Instant.now",
            "java.time.LocalDate.now",
            "java.time.LocalDateTime.now",
            "java.time.ZonedDateTime.now",
            "java.time.OffsetDateTime.now",
            "java.time.Clock.systemUTC",
            "java.time.Clock.systemDefaultZone",
            "java.time.InstantSource.system");

    /** What takes the locale of the machine, unless one of its parameters is a locale. */
    private static final Set<String> LOCALIZED = Set.of(
            "java.lang.String.format",
            "java.lang.String.formatted",
            "java.lang.String.toLowerCase",
            "java.lang.String.toUpperCase",
            "java.io.PrintStream.format",
            "java.io.PrintStream.printf",
            "java.io.PrintWriter.format",
            "java.io.PrintWriter.printf",
            "java.io.Console.format",
            "java.io.Console.printf",
            "java.time.format.DateTimeFormatter.ofPattern",
            "java.time.format.DateTimeFormatter.ofLocalizedDate",
            "java.time.format.DateTimeFormatter.ofLocalizedDateTime",
            "java.time.format.DateTimeFormatter.ofLocalizedTime",
            "java.time.format.DateTimeFormatterBuilder.toFormatter",
            "java.util.Calendar.getInstance",
            "java.util.Formatter.<init>",
            "java.util.Locale.getDefault",
            "java.util.Scanner.<init>");

    @Test
    void all_modules_are_looked_at() {
        for (String module : new String[] {
            "persistence", "ha", "tools", "client", "receiver", "node", "spring", "spring.test", "test", "daemon", "lab"
        }) {
            assertTrue(
                    ALL.stream().anyMatch(type -> type.getPackageName().startsWith("io.twinbell." + module)), module);
        }
    }

    /** The modules of Twinbell that each one compiles against, from the bottom up. Only tests may know others. */
    private static final Map<String, Set<String>> KNOWN_MODULES = Map.ofEntries(
            Map.entry("persistence", Set.of()),
            Map.entry("ha", Set.of("persistence")),
            Map.entry("node/core", Set.of("persistence", "ha")),
            Map.entry("node/observe", Set.of("core")),
            Map.entry("node/tasks", Set.of("core")),
            Map.entry("node/handlers", Set.of("tasks", "observe")),
            Map.entry("node/server", Set.of("tasks", "observe")),
            Map.entry("node", Set.of("handlers", "server", "client")),
            Map.entry("node/client", Set.of()),
            Map.entry("node/receiver", Set.of()),
            Map.entry("ops/cli", Set.of("tasks", "observe")),
            Map.entry("ops/verify", Set.of("cli")),
            Map.entry("ops/importers", Set.of("cli")),
            Map.entry("ops/daemon", Set.of("node", "cli")),
            Map.entry("ops/lab", Set.of("verify")));

    @Test
    void modules_know_only_those_below_them() throws IOException {
        Map<String, Set<String>> found = new TreeMap<>();
        for (String module : KNOWN_MODULES.keySet()) {
            String pom = Files.readString(TidyTest.TOP.resolve(module).resolve("pom.xml"));
            found.put(
                    module,
                    new TreeSet<>(TidyTest.found(
                            pom,
                            "<dependency>\\s*<groupId>io.twinbell</groupId>"
                                    + "\\s*<artifactId>twinbell-([^<]+)</artifactId>\\s*</dependency>")));
        }
        assertEquals(new TreeMap<>(KNOWN_MODULES), found);
    }

    /** A library that the core knows is one more thing to read before the core is understood. */
    @Test
    void the_core_knows_no_libraries_but_those_of_latch_database_and_log() {
        noClasses()
                .that()
                .resideInAnyPackage(
                        "io.twinbell.persistence..",
                        "io.twinbell.ha..",
                        "io.twinbell.node.engine..",
                        "io.twinbell.node.loop",
                        "io.twinbell.handler")
                .should()
                .dependOnClassesThat(new DescribedPredicate<>("are of another library") {
                    @Override
                    public boolean test(JavaClass type) {
                        String name = type.getName().replaceFirst("^\\[+L?", "");
                        return name.contains(".")
                                && Stream.of(
                                                "java.",
                                                "javax.",
                                                "io.twinbell.",
                                                "org.slf4j.",
                                                "org.postgresql.",
                                                "com.zaxxer.hikari.",
                                                "org.flywaydb.",
                                                "org.apache.curator.",
                                                "org.apache.zookeeper.")
                                        .noneMatch(name::startsWith);
                    }
                })
                .check(ALL);
    }

    private static final Set<String> CLIENT_VALUES = Set.of(
            "HandlerKey",
            "PayloadException",
            "BackfillRequest",
            "Entered",
            "TaskExplanation",
            "ExecutionSelection",
            "ExecutionView",
            "Listed");

    /** A node does not call nodes, so it uses only values of the client: those that both public APIs have in common. */
    @Test
    void the_library_uses_only_values_of_the_client() {
        noClasses()
                .that()
                .resideOutsideOfPackages("io.twinbell.client..", "io.twinbell.spring..", "io.twinbell.test..")
                .should()
                .dependOnClassesThat(new DescribedPredicate<>("belong to the client and are no values") {
                    @Override
                    public boolean test(JavaClass type) {
                        return type.getPackageName().startsWith("io.twinbell.client")
                                && !CLIENT_VALUES.contains(type.getSimpleName());
                    }
                })
                .check(ALL);
    }

    /** The starter must work with the embedded jar, in which all other names differ. */
    @Test
    void the_spring_boot_starter_uses_what_any_application_may_use() {
        noClasses()
                .that()
                .resideInAnyPackage("io.twinbell.spring", "io.twinbell.spring.transaction")
                .should()
                .dependOnClassesThat(new DescribedPredicate<>("are not the library's interface") {
                    @Override
                    public boolean test(JavaClass type) {
                        String name = type.getPackageName();
                        return name.startsWith("io.twinbell")
                                && !Set.of(
                                                "io.twinbell",
                                                "io.twinbell.client",
                                                "io.twinbell.handler",
                                                "io.twinbell.spring",
                                                "io.twinbell.spring.transaction")
                                        .contains(name);
                    }
                })
                .check(ALL);
    }

    @Test
    void nothing_knows_the_spring_boot_starter() {
        noClasses()
                .that()
                .resideOutsideOfPackages("io.twinbell.spring..", "io.twinbell.receiver.spring..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.twinbell.spring..", "org.springframework..")
                .check(ALL);
    }

    @Test
    void tests_in_spring_use_only_the_starter_and_the_test_kit() {
        noClasses()
                .that()
                .resideInAPackage("io.twinbell.spring.test")
                .should()
                .dependOnClassesThat(new DescribedPredicate<>("belong to neither") {
                    @Override
                    public boolean test(JavaClass type) {
                        String name = type.getPackageName();
                        return name.startsWith("io.twinbell")
                                && !Set.of(
                                                "io.twinbell",
                                                "io.twinbell.client",
                                                "io.twinbell.test",
                                                "io.twinbell.spring",
                                                "io.twinbell.spring.test")
                                        .contains(name);
                    }
                })
                .check(ALL);
    }

    @Test
    void nothing_knows_the_test_kit() {
        noClasses()
                .that()
                .resideOutsideOfPackages("io.twinbell.test..", "io.twinbell.spring.test")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.twinbell.test..")
                .check(ALL);
    }

    @Test
    void only_the_test_kit_uses_virtual_time() {
        noClasses()
                .that()
                .resideOutsideOfPackages("io.twinbell.node.virtual", "io.twinbell.test..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.twinbell.node.virtual..")
                .check(ALL);
    }

    @Test
    void the_library_knows_neither_tools_nor_daemon() {
        noClasses()
                .that()
                .resideOutsideOfPackages("io.twinbell.tools..", "io.twinbell.daemon..", "io.twinbell.lab..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.twinbell.tools..", "io.twinbell.daemon..", "io.twinbell.lab..")
                .check(ALL);
    }

    @Test
    void packages_are_free_of_cycles() {
        slices().matching("io.twinbell.(**)").should().beFreeOfCycles().check(ALL);
    }

    /** The packages of the engine, top down. Packages in one line do not know each other. */
    private static final List<Set<String>> ENGINE_FLOORS = List.of(
            Set.of(""),
            Set.of(".settle"),
            Set.of(".claim"),
            Set.of(".worker", ".definition"),
            Set.of(".trigger"),
            Set.of(".run"),
            Set.of(".step", ".decision"),
            Set.of(".handler"),
            Set.of(".task"));

    /** The packages of the engine that the rest of a node uses as a whole: what a task and an attempt are. */
    private static final Set<String> ENGINE_VOCABULARY =
            Set.of("io.twinbell.node.engine.task", "io.twinbell.node.engine.handler");

    /** The classes in packages of the engine that the rest of a node uses. */
    private static final Set<String> ENGINE_SHOWS = Set.of(
            // The forecast plans with the same decision as the claims.
            "decision.SlotDecision",
            "run.EngineMetrics",
            // What drives an engine without threads.
            "run.Run",
            "step.Deadlines",
            "step.EngineClocks",
            "step.StepThread",
            "step.Stepper",
            "trigger.SystemTasks",
            "worker.Workers");

    /** Each enum of events, and the class whose method {@code connect} connects them with their handlers. */
    private static final String[][] EVENT_TABLES = {
        {"io.twinbell.node.engine.step.EngineEvent", "io.twinbell.node.engine.Engine"},
        {"io.twinbell.node.pair.NodeEvent", "io.twinbell.node.pair.NodeEventTable"}
    };

    @Test
    void rooms_of_the_engine_know_only_those_below_them() {
        Set<String> seen = new HashSet<>();
        for (int floor = 0; floor < ENGINE_FLOORS.size(); floor++) {
            for (String room : ENGINE_FLOORS.get(floor)) {
                String name = "io.twinbell.node.engine" + room;
                assertTrue(ALL.stream().anyMatch(type -> type.getPackageName().equals(name)), name);
                seen.add(name);
                String[] others = ENGINE_FLOORS.subList(0, floor + 1).stream()
                        .flatMap(Set::stream)
                        .filter(other -> !other.equals(room))
                        .map(other -> "io.twinbell.node.engine" + other)
                        .toArray(String[]::new);
                if (others.length > 0) {
                    noClasses()
                            .that()
                            .resideInAPackage(name)
                            .should()
                            .dependOnClassesThat()
                            .resideInAnyPackage(others)
                            .check(ALL);
                }
            }
        }
        assertTrue(
                ALL.stream()
                        .map(JavaClass::getPackageName)
                        .filter(name -> name.startsWith("io.twinbell.node.engine"))
                        .allMatch(seen::contains),
                "each room has its floor");
    }

    @Test
    void the_rest_of_a_node_uses_only_what_the_engine_shows() {
        noClasses()
                .that()
                .resideOutsideOfPackage("io.twinbell.node.engine..")
                .should()
                .dependOnClassesThat(new DescribedPredicate<>("lie in the engine's rooms and are not shown") {
                    @Override
                    public boolean test(JavaClass type) {
                        String inside = "io.twinbell.node.engine.";
                        String outer = type.getName().replaceAll("\\$.*", "");
                        return type.getPackageName().startsWith(inside)
                                && !ENGINE_VOCABULARY.contains(type.getPackageName())
                                && !ENGINE_SHOWS.contains(outer.substring(inside.length()));
                    }
                })
                .check(ALL);
    }

    @Test
    void parts_get_their_callbacks_in_their_constructors() {
        noFields()
                .that()
                .areDeclaredInClassesThat()
                .resideInAnyPackage(
                        "io.twinbell.node.engine..",
                        "io.twinbell.node.pair..",
                        "io.twinbell.node.alert..",
                        "io.twinbell.node.api..",
                        "io.twinbell.node.warmup..")
                .and()
                .areNotFinal()
                .should()
                .haveRawType(new DescribedPredicate<>("a callback") {
                    @Override
                    public boolean test(JavaClass type) {
                        return type.getName().equals("java.lang.Runnable")
                                || type.getPackageName().equals("java.util.function")
                                || type.isAnnotatedWith(FunctionalInterface.class);
                    }
                })
                .check(ALL);
    }

    @Test
    void one_table_connects_each_event() {
        for (String[] table : EVENT_TABLES) {
            String events = table[0];
            Set<String> declared = ALL.get(events).getFields().stream()
                    .filter(field -> field.getRawType().getName().equals(events))
                    .map(JavaField::getName)
                    .collect(Collectors.toSet());
            Set<String> connected = ALL.get(table[1]).getFieldAccessesFromSelf().stream()
                    .filter(access -> access.getOrigin().getName().equals("connect"))
                    .filter(access -> access.getTarget().getOwner().getName().equals(events))
                    .map(access -> access.getTarget().getName())
                    .collect(Collectors.toSet());
            assertEquals(declared, connected);
        }
        String[] tables = Arrays.stream(EVENT_TABLES).map(table -> table[1]).toArray(String[]::new);
        noClasses()
                .that(new DescribedPredicate<>("hold no table of events") {
                    @Override
                    public boolean test(JavaClass type) {
                        return !Arrays.asList(tables).contains(type.getName());
                    }
                })
                .should()
                .accessTargetWhere(new DescribedPredicate<>("connect events") {
                    @Override
                    public boolean test(JavaAccess<?> access) {
                        AccessTarget target = access.getTarget();
                        return target.getOwner().getName().equals("io.twinbell.node.loop.Signals")
                                && target.getName().equals("on");
                    }
                })
                .check(ALL);
    }

    @Test
    void only_adapters_import_jdbc_curator_and_the_http_server() {
        noClasses()
                .that()
                .resideOutsideOfPackages(
                        "io.twinbell.persistence..",
                        "io.twinbell.node..store..",
                        "io.twinbell.node.journal..",
                        "io.twinbell.node.pair.database..",
                        "io.twinbell.node.pair.host..",
                        "io.twinbell.node.setup..",
                        "io.twinbell.daemon.survey..",
                        "io.twinbell.tools.devpair..",
                        "io.twinbell.tools.bench.database..",
                        "io.twinbell.lab.server..",
                        "io.twinbell.receiver..")
                .and()
                .doNotHaveFullyQualifiedName("io.twinbell.tools.importer.JdbcSource")
                .and()
                // The database of a test.
                .doNotHaveFullyQualifiedName("io.twinbell.test.TestDatabase")
                .and()
                // A transactional handler is given a connection; these two pass it on and do not use it.
                .resideOutsideOfPackage("io.twinbell.handler")
                .and()
                .doNotHaveFullyQualifiedName("io.twinbell.node.handler.jvm.TransactionCall")
                .and()
                // It reads the SQLSTATE of an exception.
                .doNotHaveFullyQualifiedName("io.twinbell.node.engine.handler.ErrorCodes")
                .and()
                // It passes the application's connection on.
                .doNotHaveFullyQualifiedName("io.twinbell.Tasks")
                .and()
                // They lend the application's connections, and read its DataSource.
                .resideOutsideOfPackages("io.twinbell.client", "io.twinbell.spring", "io.twinbell.spring.transaction")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("java.sql..", "org.postgresql..")
                .check(ALL);
        noClasses()
                .that()
                .resideOutsideOfPackage("io.twinbell.ha.latch..")
                .and()
                // The ZooKeeper of a test.
                .doNotHaveFullyQualifiedName("io.twinbell.test.EmbeddedServers")
                .and()
                .doNotHaveFullyQualifiedName("io.twinbell.test.DevelopmentServers")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.apache.curator..")
                .check(ALL);
        noClasses()
                .that()
                .resideOutsideOfPackages("io.twinbell.node.api..", "io.twinbell.receiver.servlet..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.javalin..", "org.eclipse.jetty..", "jakarta.servlet..")
                .check(ALL);
    }

    @Test
    void decisions_do_no_io() {
        noClasses()
                .that()
                .haveSimpleNameEndingWith("Decision")
                .or()
                .haveFullyQualifiedName("io.twinbell.ha.takeover.OwnerVerdict")
                .or()
                .resideInAnyPackage(
                        "io.twinbell.node.schedule..", "io.twinbell.node.task..", "io.twinbell.node.engine.task..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("java.sql..", "java.net.http..", "java.io..", "java.nio.file..")
                .check(ALL);
    }

    @Test
    void time_is_read_in_the_named_places_alone() {
        noClasses()
                .that()
                .doNotHaveFullyQualifiedName("io.twinbell.persistence.clock.Ticker")
                .and()
                .doNotHaveFullyQualifiedName("io.twinbell.node.pair.SchedulerNode")
                .and()
                .doNotHaveFullyQualifiedName("io.twinbell.tools.client.CommandClock")
                .and()
                .doNotHaveFullyQualifiedName("io.twinbell.client.CallClock")
                .and()
                .doNotHaveFullyQualifiedName("io.twinbell.client.CallClock$Deadline")
                .and()
                .doNotHaveFullyQualifiedName("io.twinbell.receiver.ExactlyOnceReceiver$Builder")
                .and()
                .doNotHaveFullyQualifiedName("io.twinbell.test.RealTime")
                .and()
                .doNotHaveFullyQualifiedName("io.twinbell.spring.FailedAttemptLog")
                .should()
                .accessTargetWhere(readsAClock())
                .check(ALL);
    }

    /** In the locale fa-IR, %d writes no digit of ASCII, and in tr-TR, the lower case of I is no i. */
    @Test
    void no_text_depends_on_the_locale_of_the_machine() {
        noClasses().should().accessTargetWhere(takesTheLocaleOfTheMachine()).check(ALL);
    }

    @Test
    void threads_are_made_by_those_who_own_and_stop_them() {
        noClasses()
                .that()
                .doNotHaveFullyQualifiedName("io.twinbell.node.engine.step.StepThread")
                .and()
                .doNotHaveFullyQualifiedName("io.twinbell.test.NetworkLink")
                .and()
                .doNotHaveFullyQualifiedName("io.twinbell.test.DevelopmentServers")
                .and()
                .doNotHaveFullyQualifiedName("io.twinbell.node.engine.worker.WorkerPool")
                .and()
                .doNotHaveFullyQualifiedName("io.twinbell.node.engine.worker.WorkerPool$Worker")
                .and()
                .doNotHaveFullyQualifiedName("io.twinbell.node.engine.step.DeadlineThread")
                .and()
                .doNotHaveFullyQualifiedName("io.twinbell.node.handler.http.HttpTransport")
                .and()
                .doNotHaveFullyQualifiedName("io.twinbell.node.handler.transaction.TransactionRunner")
                .and()
                .doNotHaveFullyQualifiedName("io.twinbell.node.handler.shell.ShellRunner")
                .and()
                .doNotHaveFullyQualifiedName("io.twinbell.node.handler.jvm.PluginLifecycle")
                .and()
                .doNotHaveFullyQualifiedName("io.twinbell.node.pair.SchedulerNode")
                .and()
                .doNotHaveFullyQualifiedName("io.twinbell.persistence.database.HostCheck")
                .and()
                .doNotHaveFullyQualifiedName("io.twinbell.ha.latch.BoundedZooKeeperCall")
                .and()
                .doNotHaveFullyQualifiedName("io.twinbell.ha.latch.CuratorPeers")
                .and()
                .doNotHaveFullyQualifiedName("io.twinbell.daemon.NodeMain$TerminationSignals")
                .and()
                .doNotHaveFullyQualifiedName("io.twinbell.tools.bench.InsertWorkload$ParallelClients")
                .and()
                .doNotHaveFullyQualifiedName("io.twinbell.tools.importer.quartz.serialized.SerializedFormReader")
                .and()
                .resideOutsideOfPackages(
                        "io.twinbell.tools.devpair..",
                        "io.twinbell.tools.drill..",
                        "io.twinbell.tools.cli..",
                        "io.twinbell.lab..")
                .should()
                .accessTargetWhere(makesAThread())
                .check(ALL);
    }

    @Test
    void nothing_is_called_a_helper() {
        noClasses()
                .should()
                .haveNameMatching(".*(Util|Utils|Helper|Manager|Impl|Base|Common)(\\$.*)?")
                .check(ALL);
        noClasses()
                .should()
                .resideInAnyPackage("..util..", "..common..", "..impl..", "..helper..", "..model..")
                .check(ALL);
    }

    /**
     * The most lines of main Java that a module may have, as {@code wc -l} counts them. A number here only falls, also
     * where the lines have: what was removed stays removed. Lines are not packed to meet it.
     */
    private static final Map<String, Integer> BUDGETS = Map.ofEntries(
            Map.entry("persistence", 11_375),
            Map.entry("ha", 4_724),
            Map.entry("node/core", 13_389),
            Map.entry("node/observe", 3_775),
            Map.entry("node/tasks", 15_403),
            Map.entry("node/handlers", 6_715),
            Map.entry("node/server", 21_611),
            Map.entry("node", 16_343),
            Map.entry("ops/cli", 8_961),
            Map.entry("ops/verify", 8_430),
            Map.entry("ops/importers", 3_775),
            Map.entry("ops/lab", 11_055),
            Map.entry("ops/dist", 463),
            Map.entry("ops/compare", 1_588),
            Map.entry("node/client", 3_098),
            Map.entry("node/receiver", 1_334),
            Map.entry("ops/daemon", 2_974),
            Map.entry("node/embedded", 150),
            Map.entry("node/spring", 3_264),
            Map.entry("node/springtest", 528),
            Map.entry("node/testkit", 2_391),
            Map.entry("node/boot", 410));

    private static final int BUDGET_OF_ALL = 141_756;
    /** How far below its budget a module may be before the budget has to follow. */
    private static final int SLACK = 300;

    @Test
    void every_module_keeps_its_budget_of_lines_which_only_falls() throws IOException {
        Map<String, Integer> lines = new TreeMap<>();
        for (Path file : TidyTest.sources("main")) {
            lines.merge(TidyTest.moduleOf(file), TidyTest.lines(file), Integer::sum);
        }
        assertEquals(TidyTest.modulesWithMain(), new TreeSet<>(BUDGETS.keySet()), "each module has a budget");
        Map<String, String> wrong = new TreeMap<>();
        lines.forEach((module, count) -> {
            int budget = BUDGETS.get(module);
            if (count > budget) {
                wrong.put(
                        module,
                        "has " + count + " lines, more than its budget of " + budget
                                + ": remove what nobody needs, or leave the change out");
            } else if (count < budget - SLACK) {
                wrong.put(module, "has " + count + " lines: lower its budget of " + budget + " to that");
            }
        });
        int all = lines.values().stream().mapToInt(Integer::intValue).sum();
        if (all > BUDGET_OF_ALL) {
            wrong.put("all", "modules have " + all + " lines, more than their budget of " + BUDGET_OF_ALL);
        }
        assertEquals(Map.of(), wrong);
    }

    private static DescribedPredicate<JavaAccess<?>> readsAClock() {
        return new DescribedPredicate<>("read a clock or sleep") {
            @Override
            public boolean test(JavaAccess<?> access) {
                AccessTarget target = access.getTarget();
                return CLOCKS.contains(target.getOwner().getName() + "." + target.getName());
            }
        };
    }

    private static DescribedPredicate<JavaAccess<?>> takesTheLocaleOfTheMachine() {
        return new DescribedPredicate<>("take the locale of the machine") {
            @Override
            public boolean test(JavaAccess<?> access) {
                return access.getTarget() instanceof AccessTarget.CodeUnitAccessTarget target
                        && (LOCALIZED.contains(target.getOwner().getName() + "." + target.getName())
                                || target.getOwner().getPackageName().equals("java.text")
                                        && target.getOwner().getSimpleName().endsWith("Format"))
                        && target.getRawParameterTypes().stream().noneMatch(type -> type.isEquivalentTo(Locale.class));
            }
        };
    }

    private static DescribedPredicate<JavaAccess<?>> makesAThread() {
        return new DescribedPredicate<>("make a thread") {
            @Override
            public boolean test(JavaAccess<?> access) {
                String owner = access.getTarget().getOwner().getName();
                boolean isConstructor = access.getTarget().getName().equals("<init>");
                return isConstructor && (owner.equals("java.lang.Thread") || owner.endsWith("ThreadPoolExecutor"))
                        || owner.equals("java.util.concurrent.Executors");
            }
        };
    }
}
