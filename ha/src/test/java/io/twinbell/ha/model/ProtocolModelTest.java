package io.twinbell.ha.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tlc2.TLC;

/**
 * Has TLC look at every state of the model in {@code ha/model}, and at what becomes of it when a rule is broken. What TLC
 * says is in {@code target/model}. More faults: {@code -Dtwinbell.model.faults=3}; more slots: {@code -Dtwinbell.model.slots=s,t}.
 */
class ProtocolModelTest {
    private static final Path MODEL = Path.of("model");
    private static final Path TARGET = Path.of("target", "model");
    /** TLC's exit codes. */
    private static final int SOUND = 0;

    private static final int INVARIANT_VIOLATED = 12;
    private static final int PROPERTY_VIOLATED = 13;

    private record Checked(int exitCode, String said) {
        void violates(String claim) {
            boolean isOfAState = said.contains("Invariant " + claim + " is violated");
            assertTrue(isOfAState || said.contains("Action property " + claim + " is violated"), said);
            assertEquals(isOfAState ? INVARIANT_VIOLATED : PROPERTY_VIOLATED, exitCode);
        }

        void isSound() {
            assertEquals(SOUND, exitCode, said);
            assertTrue(said.contains("Model checking completed. No error has been found."), said);
        }
    }

    @Test
    void the_protocol_keeps_its_rules_in_every_order_of_events() throws Exception {
        String faults = System.getProperty("twinbell.model.faults", "2");
        String slots = System.getProperty("twinbell.model.slots", "s");
        check("safety", "Safety.cfg", "Faults = 2", "Faults = " + faults, "Slots = {s}", "Slots = {" + slots + "}")
                .isSound();
    }

    @Test
    void in_the_end_there_is_a_master_and_every_slot_is_accounted_for() throws Exception {
        check("liveness", "Liveness.cfg").isSound();
    }

    @Test
    void the_same_holds_where_what_a_dead_master_left_is_dropped() throws Exception {
        check("dropping", "Safety.cfg", "Rerun = {s}", "Rerun = {}").isSound();
        check("dropping-in-the-end", "Liveness.cfg", "Rerun = {s}", "Rerun = {}")
                .isSound();
    }

    @ParameterizedTest
    @CsvSource({
        "open without comparing,     EpochsGrowAndHaveOneOwnerEach",
        "claim without the guard,    NoClaimUnderAnEpochThatIsOver",
        "run before claiming,        NoSecondStartWithoutASettlement",
        "start without trust,        NoStartAfterTheSettlement",
        "settle at once,             NoStartAfterTheSettlement",
        "settle before opening,      OneClaimForASlotUnderAnEpoch",
        "hand back without comparing,NoStartAfterTheSettlement",
        "go by old words,            AMasterStays",
        "resign without ZooKeeper,   AMasterStays"
    })
    void a_rule_that_is_broken_is_missed(String mutation, String claim) throws Exception {
        check(mutation, "Safety.cfg", "\"none\"", "\"" + mutation + "\"").violates(claim);
    }

    @Test
    void a_dead_session_that_is_kept_for_ever_leaves_the_pair_without_a_master() throws Exception {
        Checked checked = check("keep dead sessions", "Liveness.cfg", "\"none\"", "\"keep dead sessions\"");
        assertEquals(PROPERTY_VIOLATED, checked.exitCode(), checked.said());
    }

    @Test
    void a_start_check_that_passed_just_before_a_freeze_is_the_one_thing_that_cannot_be_fenced() throws Exception {
        check("window", "Safety.cfg", "Window = FALSE", "Window = TRUE").violates("NoStartAfterTheSettlement");
        check(
                        "window-and-the-rest",
                        "Safety.cfg",
                        "Window = FALSE",
                        "Window = TRUE",
                        "    NoStartAfterTheSettlement\n",
                        "")
                .isSound();
    }

    /** @param replacements what to write in the configuration in place of what, by turns */
    private static Checked check(String name, String configuration, String... replacements) throws Exception {
        Path folder = TARGET.resolve(name.replace(' ', '-'));
        Files.createDirectories(folder);
        Files.copy(MODEL.resolve("Protocol.tla"), folder.resolve("Protocol.tla"), StandardCopyOption.REPLACE_EXISTING);
        String text = Files.readString(MODEL.resolve(configuration));
        for (int i = 0; i < replacements.length; i += 2) {
            assertTrue(text.contains(replacements[i]), replacements[i]);
            text = text.replace(replacements[i], replacements[i + 1]);
        }
        Files.writeString(folder.resolve("Protocol.cfg"), text);
        return run(folder);
    }

    /** A process of its own: TLC keeps what it knows in static fields. */
    private static Checked run(Path folder) throws IOException, InterruptedException, URISyntaxException {
        Path said = folder.resolve("tlc.txt");
        Path jar = Path.of(
                TLC.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        Process tlc = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-Xmx1g",
                        "-Djava.io.tmpdir=.",
                        "-cp",
                        jar.toString(),
                        "tlc2.TLC",
                        "-cleanup",
                        // More than one find the same wrongs in an order that differs from run to run.
                        "-workers",
                        "1",
                        "Protocol.tla"))
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
        try {
            assertTrue(tlc.waitFor(30, TimeUnit.MINUTES), "TLC has not come to an end");
        } finally {
            tlc.destroyForcibly();
        }
        return new Checked(tlc.exitValue(), Files.readString(said));
    }
}
