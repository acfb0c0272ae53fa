package io.twinbell.node.handler.secret;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.TextNode;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A secret is covered in whatever encoding it comes back. */
class SecretFormsTest {
    @ParameterizedTest
    @ValueSource(strings = {"s3cret-value", "p\u00e4ss/w\u00f6rd+\"<&'>\\ =\u65e5", "abcdefg", "~~~???>>>"})
    void no_encoding_lets_a_secret_through(String secret) {
        byte[] bytes = secret.getBytes(StandardCharsets.UTF_8);
        String percent = URLEncoder.encode(secret, StandardCharsets.UTF_8);
        List<String> encoded = List.of(
                secret,
                percent,
                percent.replace("+", "%20"),
                TextNode.valueOf(secret).toString().replaceAll("^\"|\"$", ""),
                HexFormat.of().formatHex(bytes),
                HexFormat.of().withUpperCase().formatHex(bytes),
                HexFormat.of().withPrefix("%").withUpperCase().formatHex(bytes));
        for (String form : encoded) {
            assertEquals("<***>", cover("<" + form + ">", secret), form);
        }
    }

    @Test
    void the_password_behind_a_users_name_is_covered_in_base64_wherever_it_begins() {
        String secret = "correct horse battery";
        for (String user : List.of("", "u", "me", "bob", "anna", "maria")) {
            byte[] pair = (user + ":" + secret + "!").getBytes(StandardCharsets.UTF_8);
            for (Base64.Encoder encoder :
                    List.of(Base64.getEncoder(), Base64.getUrlEncoder().withoutPadding())) {
                String covered = cover(encoder.encodeToString(pair), secret);
                assertTrue(covered.contains("***"), covered);
                assertFalse(
                        covered.contains(encoder.encodeToString("horse battery".getBytes(StandardCharsets.UTF_8))
                                .substring(0, 8)),
                        covered);
                assertTrue(covered.length() < 16, "hardly anything is left: " + covered);
            }
        }
    }

    @Test
    void a_pair_that_is_encoded_already_is_covered_decoded_too() {
        String secret = Base64.getEncoder().encodeToString("user:pa55word".getBytes(StandardCharsets.UTF_8));
        assertEquals("you are ***", cover("you are user:pa55word", secret));
        assertEquals("with ***", cover("with pa55word", secret));
    }

    @Test
    void a_short_secret_does_not_cover_half_of_the_text() {
        assertEquals("a long text, as it is", cover("a long text, as it is", "x1"));
    }

    private static String cover(String text, String secret) {
        return SecretForms.cover(text, List.of(SecretForms.of(secret)));
    }

    /** Encoders differ in the characters that they escape, and in where they break lines. */
    @Test
    void a_secret_is_covered_whichever_of_its_characters_an_encoder_escapes() {
        String secret = "S3cr\"e<t/\u00fc+x y&z='~!*()";
        for (String form : List.of(
                "S3cr%22e%3Ct/%C3%BC%2Bx%20y%26z%3D%27~!*()",
                "S3cr%22e%3Ct/%FC%2bx+y%26z%3D'%7E%21%2A%28%29",
                "S3cr%2522e%253Ct/%25C3%25BC%252Bx%2520y%2526z%253D%2527~!*()",
                "S3cr\\\"e\\u003Ct\\/\\u00fc+x y\\u0026z=\\u0027~!*()",
                "S3cr\\\\\\\"e<t/\u00fc+x y&z='~!*()",
                "\\x533cr\"e<t/\\xc3\\xbc+x y&z=\\'~!*()",
                "S3cr&#34;e&lt;t&#x2F;&#252;+x y&amp;z=&apos;~!*()",
                "S3cr\\u0026quot;e\\u0026lt;t/\u00fc+x y\\u0026amp;z='~!*()")) {
            assertEquals("<***>", cover("<" + form + ">", secret), form);
        }
    }

    @Test
    void line_breaks_and_separators_do_not_uncover_an_encoded_secret() {
        String secret = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-._~";
        byte[] bytes = secret.getBytes(StandardCharsets.UTF_8);
        String mime = Base64.getMimeEncoder().encodeToString(bytes);
        String hex = HexFormat.of().formatHex(bytes);
        for (String form : List.of(
                mime,
                mime.replace("\r", ""),
                mime.replace("\r\n", "\n    "),
                mime.replace("\r\n", "\\n"),
                mime.replace("\r\n", "%0D%0A"),
                hex.substring(0, 60) + "\n" + hex.substring(60),
                HexFormat.ofDelimiter(" ").formatHex(bytes),
                HexFormat.ofDelimiter(":").withUpperCase().formatHex(bytes))) {
            String covered = cover("<" + form + ">", secret);
            assertTrue(covered.startsWith("<***") && covered.length() <= "<***==>".length(), form + " " + covered);
        }
    }

    @Test
    void what_surrounds_a_secret_stays_as_it_was_encoded() {
        assertEquals("a%20b ***&lt; \\n *** %zz &#x; \\u12", cover("a%20b p%61ss&lt; \\n pass %zz &#x; \\u12", "pass"));
    }
}
