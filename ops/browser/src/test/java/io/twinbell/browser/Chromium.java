package io.twinbell.browser;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserType.LaunchOptions;
import com.microsoft.playwright.Playwright;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/** The Chromium of this machine. Playwright brings only its driver; without a Chromium the tests are skipped. */
final class Chromium implements AutoCloseable {
    private static final List<String> NAMES = List.of("chromium", "chromium-browser", "google-chrome");

    private final Playwright playwright;
    private final Browser browser;

    private Chromium(Path program) {
        playwright = Playwright.create(
                new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
        browser = playwright.chromium().launch(new LaunchOptions().setExecutablePath(program));
    }

    /** Starts the browser when it is first asked for; it ends after the last test. */
    static Browser of(ExtensionContext context) {
        return context.getRoot()
                .getStore(Namespace.create(Chromium.class))
                .computeIfAbsent(Chromium.class, key -> new Chromium(find().orElseThrow()), Chromium.class)
                .browser;
    }

    private static Optional<Path> find() {
        String named = System.getProperty("twinbell.test.chromium");
        if (named != null) {
            return Optional.of(Path.of(named));
        }
        return Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
                .flatMap(folder -> NAMES.stream().map(name -> Path.of(folder, name)))
                .filter(Files::isExecutable)
                .findFirst();
    }

    @Override
    public void close() {
        browser.close();
        playwright.close();
    }

    /** Says why the tests are skipped. */
    static final class IsInstalled implements ExecutionCondition {
        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            return find().map(program -> ConditionEvaluationResult.enabled(program.toString()))
                    .orElseGet(() -> {
                        String reason = "no Chromium: none of " + NAMES
                                + " is in PATH, and -Dtwinbell.test.chromium=FILE names none";
                        System.out.println("Skipped: " + reason);
                        return ConditionEvaluationResult.disabled(reason);
                    });
        }
    }
}
