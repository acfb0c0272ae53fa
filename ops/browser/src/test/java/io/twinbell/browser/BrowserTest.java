package io.twinbell.browser;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** A test class whose methods may take the {@link DevelopmentPair} and a new {@link ConsoleWindow} of it. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith({Chromium.IsInstalled.class, BrowserTest.Parts.class})
@Timeout(300)
@interface BrowserTest {
    /** Makes the parameters. The window is closed after the test, and then says what went wrong in it. */
    final class Parts implements ParameterResolver, AfterEachCallback {
        private static final Namespace OWN = Namespace.create(Parts.class);

        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
            Class<?> type = parameter.getParameter().getType();
            return type == DevelopmentPair.class || type == ConsoleWindow.class;
        }

        @Override
        public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
            DevelopmentPair pair = DevelopmentPair.of(context);
            return parameter.getParameter().getType() == DevelopmentPair.class
                    ? pair
                    : context.getStore(OWN)
                            .computeIfAbsent(
                                    ConsoleWindow.class,
                                    key -> new ConsoleWindow(Chromium.of(context), pair),
                                    ConsoleWindow.class);
        }

        @Override
        public void afterEach(ExtensionContext context) {
            ConsoleWindow window = context.getStore(OWN).remove(ConsoleWindow.class, ConsoleWindow.class);
            if (window != null) {
                window.end(context.getExecutionException().isEmpty());
            }
        }
    }
}
