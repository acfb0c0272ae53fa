package io.twinbell.test;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The projects on the pages, written to an empty folder. */
class PageProjectsTest {
    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({
        "DELAYED-MESSAGES, main/PaymentDeadlines test/PaymentDeadlinesTest",
        "DEPLOYING, main/FirstVersion main/SecondVersion main/Node",
        "ONLY-ENQUEUE, main/Checkout",
        "PLAIN-JAVA, main/Billing",
        "TESTING, main/Billing test/BillingTest",
        "TESTING-ON-SERVERS, main/Billing test/BillingTest",
    })
    void a_project_is_complete_and_compiles(String page, String classes) throws Exception {
        PageProject project = projectOf(page, classes);
        assertEquals(List.of(), project.compile(System.getProperty("java.class.path")));
    }

    /** Their pages show the same work with another scheduler, whose library only Maven brings. */
    @ParameterizedTest
    @CsvSource({
        "FROM-DB-SCHEDULER, main/Work main/WithDbScheduler main/WithTwinbell test/MoveTest",
        "FROM-JOBRUNR, main/Work main/WithJobRunr main/WithTwinbell test/MoveTest",
        "FROM-QUARTZ, main/CloseDay main/WithQuartz main/WithTwinbell test/MoveTest",
    })
    void a_project_with_another_scheduler_is_complete(String page, String classes) throws Exception {
        projectOf(page, classes);
    }

    @ParameterizedTest
    @CsvSource({
        "DELAYED-MESSAGES, 4",
        "FROM-DB-SCHEDULER, 3",
        "FROM-JOBRUNR, 3",
        "FROM-QUARTZ, 3",
        "TESTING, 3",
        "TESTING-ON-SERVERS, 2",
    })
    @Timeout(600)
    @Tag("thorough")
    void a_project_builds_with_what_an_application_gets_and_its_tests_pass(String page, int tests) throws Exception {
        new PageProject(page + ".md", folder).requireTests(tests);
    }

    private PageProject projectOf(String page, String classes) throws Exception {
        PageProject project = new PageProject(page + ".md", folder);
        String files = "pom.xml " + classes.replaceAll("(main|test)/(\\w+)", "src/$1/java/shop/$2.java");
        assertEquals(List.of(files.split(" ")), project.names());
        return project;
    }
}
