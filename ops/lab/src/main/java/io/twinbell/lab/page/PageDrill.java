package io.twinbell.lab.page;

import io.twinbell.lab.fault.Fault;
import io.twinbell.lab.stage.DrillEvent;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** Checks that a fault pages: the shipped alert rules must fire during the fault and stop after it. */
public final class PageDrill {
    /** A repair is seen at the next scrape and the evaluation after it. */
    private static final Duration SILENT_WITHIN = Duration.ofSeconds(20);

    private static final Duration NEXT_SCRAPE = Duration.ofSeconds(6);

    private final Fault fault;
    private final DrillStage stage;
    private final Scraper scraper;

    private PageDrill(Fault fault, DrillStage stage, Scraper scraper) {
        this.fault = fault;
        this.stage = stage;
        this.scraper = scraper;
    }

    /** Starts scraping if the fault must page. */
    public static PageDrill begin(Fault fault, DrillStage stage) throws DrillException.Interrupted {
        Scraper scraper = new Scraper(stage.pair(), () -> stage.poll().wallMicros() / 1000);
        if (!fault.pages().isEmpty()) {
            stage.undo().add("stop the scraper", scraper::close);
            scraper.start();
            stage.poll().sleep(NEXT_SCRAPE);
        }
        return new PageDrill(fault, stage, scraper);
    }

    /** Judges the pages. Called after the pair has been repaired. */
    public void judge(Path evidence) throws DrillException, IOException {
        if (fault.pages().isEmpty()) {
            return;
        }
        stage.poll().sleep(SILENT_WITHIN);
        scraper.close();
        Optional<AlertPages> pages = AlertPages.of(scraper, evidence);
        if (pages.isEmpty()) {
            stage.print("pages are not checked: promtool is not installed on this machine");
            return;
        }
        long struck = stage.faultMicros() / 1000;
        long healed = stage.marks().stream()
                        .filter(event -> !event.strikes())
                        .mapToLong(DrillEvent::atMicros)
                        .min()
                        .orElseThrow()
                / 1000;
        for (String alert : fault.pages()) {
            Optional<Long> rang = pages.get().rangAfter(alert, struck, healed + NEXT_SCRAPE.toMillis());
            stage.expect(rang.isPresent(), "the page " + alert + " did not fire while the fault lasted");
            rang.ifPresent(after -> stage.print("the page " + alert + " fired after " + after / 1000 + " s"));
        }
        stage.expect(
                pages.get().stillRinging().isEmpty(),
                "after " + SILENT_WITHIN.toSeconds() + " s of a healthy pair, these pages still fire: "
                        + pages.get().stillRinging());
    }
}
