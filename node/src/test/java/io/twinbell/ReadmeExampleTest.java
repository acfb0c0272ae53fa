package io.twinbell;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The README's examples of an embedded node and of a plugin compile, and so does that of the page on embedding. */
class ReadmeExampleTest {
    private static final Pattern EXAMPLE = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);

    @TempDir
    Path classes;

    @ParameterizedTest
    @ValueSource(strings = {"README.md", "node/docs/EMBEDDING.md"})
    void the_example_of_an_embedded_node_compiles(String page) throws Exception {
        Matcher example = EXAMPLE.matcher(Files.readString(Path.of("..").resolve(page)));
        assertTrue(example.find(), page + " has no example in Java");
        assertCompiles("import io.twinbell.*; import java.nio.file.Path; import java.time.Duration; class Example {"
                + " static Object close(String key, String data) { return key + data; }"
                + " static void serveUntilStopped() {}"
                + " static void run() {\n" + example.group(1) + "\n} }");
    }

    @Test
    void the_plugin_of_the_readme_compiles() throws Exception {
        Matcher example = EXAMPLE.matcher(Files.readString(Path.of("..", "README.md")));
        assertTrue(example.find() && example.find(), "README.md has no plugin");
        assertCompiles("import io.twinbell.handler.*; import java.util.Map; class Example {"
                + " static Object close(String key, String data) { return key + data; }\n" + example.group(1) + "\n}");
    }

    private void assertCompiles(String source) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter said = new StringWriter();
        boolean compiled = compiler.getTask(
                        said,
                        null,
                        null,
                        List.of(
                                "-d",
                                classes.toString(),
                                "-classpath",
                                System.getProperty("java.class.path"),
                                "-proc:none"),
                        null,
                        List.of(source(source)))
                .call();
        assertEquals("", said.toString());
        assertTrue(compiled);
    }

    private static JavaFileObject source(String text) {
        return new SimpleJavaFileObject(URI.create("string:///Example.java"), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                return text;
            }
        };
    }
}
