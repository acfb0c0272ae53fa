package io.twinbell.node.template;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.json.StrictJson;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What comes of a text with variables in it, wherever it is put and whatever they contain. */
class TemplateTest {
    private static final JsonNode DATA = StrictJson.readStored("""
            {"text":"a \\"quoted\\" \\\\ line\\nnext & more","number":1.50,"yes":true,"none":null,
             "items":[{"id":7},{"id":8}],"dots":"..","empty":"","slash":"a/../b?c=d&e#f","umlaut":"ü"}""");

    private final Values values = new Values("7/t", "2026-03-29T01:00:00.000Z", 3, DATA, name -> "s3cret-" + name);

    @Test
    void slot_fire_time_attempt_and_paths_into_the_data_are_filled_in() {
        assertEquals(
                "7/t at 2026-03-29T01:00:00.000Z, 3: 8 1.50 true []",
                render(
                        "${slot} at ${fireTime}, ${attempt}: ${data.items.1.id} ${data.number} ${data.yes} [${data.none}]"));
        assertEquals("{\"id\":7}", render("${data.items.0}"));
        assertEquals(DATA.toString(), render("${data}"));
    }

    @Test
    void two_dollars_stand_for_the_characters_themselves() {
        assertEquals("${slot} is 7/t, $5, $, ${", render("$${slot} is ${slot}, $5, $, $${"));
    }

    @Test
    void in_json_a_value_stays_one_value_whether_it_stands_between_quotes_or_not() {
        BodyTemplate body = BodyTemplate.parse(
                "{\"a\":\"<${data.text}>\",\"b\":${data.text},\"c\":${data.items},\"d\":\"\\\"${data.number}\","
                        + "\"e\":${data.none},\"f\":\"${data.items.0}\"}",
                null);
        JsonNode read = StrictJson.readStored(text(body));
        String text = DATA.get("text").textValue();
        assertAll(
                () -> assertEquals("<" + text + ">", read.get("a").textValue()),
                () -> assertEquals(text, read.get("b").textValue()),
                () -> assertEquals(DATA.get("items"), read.get("c")),
                () -> assertEquals("\"1.50", read.get("d").textValue()),
                () -> assertTrue(read.get("e").isNull()),
                () -> assertEquals("{\"id\":7}", read.get("f").textValue()));
    }

    @Test
    void the_content_type_tells_how_a_body_is_escaped() {
        String body = "x=${data.slash}";
        assertEquals(
                "x=a%2F..%2Fb%3Fc%3Dd%26e%23f", text(BodyTemplate.parse(body, "application/x-www-form-urlencoded")));
        assertEquals("x=a/../b?c=d&e#f", text(BodyTemplate.parse(body, "text/plain")));
        assertEquals(
                "\"1.50\" \"a/../b?c=d&e#f\"",
                text(BodyTemplate.parse(
                        "\"${data.number}\" ${data.slash}", "application/problem+json; charset=utf-8")));
    }

    @Test
    void a_value_in_a_url_cannot_leave_its_segment_or_its_parameter() {
        assertEquals(
                "http://h:1/a%2F..%2Fb%3Fc%3Dd%26e%23f/x?q=a%2F..%2Fb%3Fc%3Dd%26e%23f&r=%C3%BC",
                UrlTemplate.parse("http://h:1/${data.slash}/x?q=${data.slash}&r=${data.umlaut}")
                        .render(values)
                        .toString());
        for (String bad : new String[] {"dots", "empty", "none"}) {
            String url = "http://h/x/${data." + bad + "}/y";
            assertTrue(refusal(() -> UrlTemplate.parse(url).render(values)).contains("path of a URL"), bad);
        }
    }

    @Test
    void the_receiver_of_a_url_is_fixed() {
        Stream.of("http://${data.text}/", "http://h${data.text}", "http://h:${data.number}/x", "${data.text}://h/")
                .forEach(url -> assertThrows(TemplateException.class, () -> UrlTemplate.parse(url), url));
        assertTrue(refusal(() -> UrlTemplate.parse("http://${data.text}/x")).contains("not in its host"));
        assertEquals(
                "h", UrlTemplate.parse("http://h/${data.text}").render(values).host());
    }

    @Test
    void a_header_cannot_begin_another_one() {
        Template header = Template.parse("x ${data.text}");
        assertTrue(refusal(() -> header.render(values, Escape.HEADER)).contains("printable ASCII"));
        assertThrows(
                TemplateException.class, () -> Template.parse("${data.umlaut}").render(values, Escape.HEADER));
    }

    @Test
    void an_unknown_name_is_refused_with_the_known_ones() {
        assertTrue(refusal(() -> Template.parse("${slott}")).contains("unknown variable \"slott\""));
        assertTrue(refusal(() -> Template.parse("${slot")).contains("without \"}\""));
        assertTrue(refusal(() -> render("${data.nothing}")).contains("no \"data.nothing\""));
        assertTrue(refusal(() -> render("${data.items.2.id}")).contains("data.items.2.id"));
        Stream.of("${}", "${ slot }", "${data.}", "${data..x}", "${datax}", "${secret.lower}", "${secret.X_FILE}")
                .forEach(text -> assertThrows(TemplateException.class, () -> Template.parse(text), text));
        Values noData = new Values("s", "t", 1, null, name -> "");
        assertThrows(TemplateException.class, () -> Template.parse("${data}").render(noData, Escape.NONE));
    }

    @Test
    void a_secret_stands_in_headers_alone() {
        assertEquals(
                "Bearer s3cret-API_KEY",
                Template.parse("Bearer ${secret.API_KEY}").render(values, Escape.HEADER));
        assertTrue(refusal(() -> BodyTemplate.parse("${secret.API_KEY}", null)).contains("must not contain a secret"));
        assertTrue(refusal(() -> UrlTemplate.parse("http://h/?k=${secret.API_KEY}"))
                .contains("must not contain a secret"));
    }

    @Test
    void a_small_text_cannot_grow_without_a_bound() {
        String large = "\"" + "x".repeat(50_000) + "\"";
        Values values = new Values("s", "t", 1, StrictJson.readStored(large), name -> "");
        Template template = Template.parse("${data}".repeat(10_000));
        assertTrue(refusal(() -> template.render(values, Escape.NONE)).contains("longer than"));
    }

    private String render(String text) {
        return Template.parse(text).render(values, Escape.NONE);
    }

    private String text(BodyTemplate body) {
        return new String(body.render(values), StandardCharsets.UTF_8);
    }

    private static String refusal(Runnable work) {
        return assertThrows(TemplateException.class, work::run).getMessage();
    }
}
