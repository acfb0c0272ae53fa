package io.twinbell.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.test.PageProject;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The projects on the pages about Spring Boot, built and tested from an empty folder with this release. */
@Timeout(600)
class SpringBootPageTest {
    private static final String STARTED = "Started ShopApplication in";
    private static final String PROMOTED = "PROMOTING -> MASTER";

    @TempDir
    private Path folder;

    @Test
    void the_project_on_the_page_builds_and_its_test_passes() throws Exception {
        PageProject project = new PageProject("SPRING-BOOT.md", folder);
        assertEquals(
                List.of(
                        "pom.xml",
                        "src/main/resources/application.properties",
                        "src/main/resources/schema.sql",
                        "src/main/java/shop/ShopApplication.java",
                        "src/main/java/shop/Orders.java",
                        "src/test/java/shop/DevelopShop.java",
                        "src/test/java/shop/OrdersTest.java",
                        "src/test/java/shop/OrdersInVirtualTimeTest.java"),
                project.names());
        takeRelease(project);
        project.requireTests(3, "verify", Map.of());
        List<String> lines = project.runUntil("spring-boot:test-run", STARTED);
        assertTrue(lines.get(lines.size() - 1).contains(STARTED), () -> String.join("\n", lines));
        assertTrue(lines.stream().noneMatch(line -> line.contains("has joined the pair")), () -> String.join("\n", lines));
        // The servers outlive the application, so a master hands over at the end.
        project.runUntil("spring-boot:test-run", PROMOTED);
        List<String> next = project.runUntil("spring-boot:test-run", PROMOTED);
        assertTrue(next.get(next.size() - 1).contains(" handed over;"), () -> String.join("\n", next));
    }

    /** The release has its own of Hibernate. */
    @Test
    void the_project_with_jpa_builds_and_its_tests_pass() throws Exception {
        PageProject project = new PageProject("SPRING-JPA.md", folder);
        assertEquals(
                List.of(
                        "pom.xml",
                        "src/main/resources/application.properties",
                        "src/main/resources/schema.sql",
                        "src/main/java/bank/Account.java",
                        "src/main/java/bank/Accounts.java",
                        "src/main/java/bank/Transfers.java",
                        "src/main/java/bank/BankApplication.java",
                        "src/test/java/bank/TransfersTest.java"),
                project.names());
        takeRelease(project);
        project.requireTests(2, "test", Map.of());
    }

    /** The release of Spring Boot that this module tries. */
    private static void takeRelease(PageProject project) throws IOException {
        project.revise(
                "pom.xml",
                pom -> pom.replaceFirst(
                        "(?s)(<artifactId>spring-boot-starter-parent</artifactId>\\s*<version>)[^<]+",
                        "$1" + System.getProperty("boot.version")));
    }
}
