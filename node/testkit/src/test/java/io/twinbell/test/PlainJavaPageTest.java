package io.twinbell.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.nio.file.Path;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The project on the page about plain Java, built from an empty folder and run as a pair whose master is killed. */
@Timeout(600)
@Tag("thorough")
class PlainJavaPageTest {
    @TempDir
    private Path folder;

    @Test
    void the_program_on_the_page_continues_in_the_other_process() throws Exception {
        PageProject project = new PageProject("PLAIN-JAVA.md", folder);
        PageProject.Build build = project.build("package");
        assertEquals(0, build.exitCode(), build::output);
        try (EmbeddedPostgres database = EmbeddedPostgres.start();
                TestingServer zooKeeper = new TestingServer();
                PageProgram a = new PageProgram(folder, database, zooKeeper, "shop.Billing", "a", "0")) {
            a.await("a is ready");
            a.await("a polls");
            try (PageProgram b = new PageProgram(folder, database, zooKeeper, "shop.Billing", "b", "0")) {
                b.await("b is ready");
                a.await("a closes invoice 4711");
                a.kill();
                b.await("b polls");
                assertTrue(b.isAlive());
            }
        }
    }
}
