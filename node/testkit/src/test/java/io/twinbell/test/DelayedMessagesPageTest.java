package io.twinbell.test;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The project on the page about delayed messages, built and tested from an empty folder. */
@Timeout(600)
class DelayedMessagesPageTest {
    @TempDir
    private Path folder;

    @Test
    void the_project_on_the_page_builds_and_its_tests_pass() throws Exception {
        PageProject project = new PageProject("DELAYED-MESSAGES.md", folder);
        assertEquals(
                List.of(
                        "pom.xml",
                        "src/main/java/shop/PaymentDeadlines.java",
                        "src/test/java/shop/PaymentDeadlinesTest.java"),
                project.names());
        project.requireTests(4);
    }
}
