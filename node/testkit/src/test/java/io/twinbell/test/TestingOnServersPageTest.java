package io.twinbell.test;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The project on the page about tests on real servers, built and tested from an empty folder. */
@Timeout(600)
@Tag("thorough")
class TestingOnServersPageTest {
    @TempDir
    private Path folder;

    @Test
    void the_project_on_the_page_builds_and_its_tests_pass() throws Exception {
        PageProject project = new PageProject("TESTING-ON-SERVERS.md", folder);
        assertEquals(
                List.of("pom.xml", "src/main/java/shop/Billing.java", "src/test/java/shop/BillingTest.java"),
                project.names());
        project.requireTests(2);
    }
}
