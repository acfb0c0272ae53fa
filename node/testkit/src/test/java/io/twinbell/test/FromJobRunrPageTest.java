package io.twinbell.test;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The project on the page about moving from JobRunr, built and tested from an empty folder. */
@Timeout(600)
@Tag("thorough")
class FromJobRunrPageTest {
    @TempDir
    private Path folder;

    @Test
    void the_project_on_the_page_builds_and_fires_as_jobrunr_does() throws Exception {
        PageProject project = new PageProject("FROM-JOBRUNR.md", folder);
        assertEquals(
                List.of(
                        "pom.xml",
                        "src/main/java/shop/Work.java",
                        "src/main/java/shop/WithJobRunr.java",
                        "src/main/java/shop/WithTwinbell.java",
                        "src/test/java/shop/MoveTest.java"),
                project.names());
        project.requireTests(4);
    }
}
