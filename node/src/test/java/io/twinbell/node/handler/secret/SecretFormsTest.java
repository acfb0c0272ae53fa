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
        return Secrets.cover(text, List.of(SecretForms.of(secret)));
    }
}
