package io.twinbell.test;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
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

    /** It shows the same work with other schedulers, whose libraries only Maven brings. */
    @Test
    void the_project_with_other_schedulers_is_complete() throws Exception {
        projectOf(
                "MOVING-IN",
                "main/Work main/WithQuartz main/WithDbScheduler main/WithJobRunr main/WithTwinbell test/MoveTest");
    }

    @ParameterizedTest
    @CsvSource({
        "DELAYED-MESSAGES, 4",
        "MOVING-IN, 5",
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
