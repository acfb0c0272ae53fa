package io.twinbell.node.template;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.json.StrictJson;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** URLs as people write them, as they are sent, and what is said of those that cannot be. */
class HttpUrlTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            http://127.0.0.1:9000/日/ä?q=€       | http://127.0.0.1:9000/%E6%97%A5/%C3%A4?q=%E2%82%AC
            http://h/😀?😀=\u200b                 | http://h/%F0%9F%98%80?%F0%9F%98%80=%E2%80%8B
            http://h/%E6%97%A5?x=%20+            | http://h/%E6%97%A5?x=%20+
            HTTP://Example.COM                   | http://example.com/
            http://h?q                           | http://h/?q
            http://my_service:8080/x             | http://my_service:8080/x
            http://_a.b_c-1/                     | http://_a.b_c-1/
            https://bücher.example/ü             | https://xn--bcher-kva.example/%C3%BC
            http://例え。テスト/                    | http://xn--r8jz45g.xn--zckzah/
            http://１２７．０．０．１/                | http://127.0.0.1/
            http://h:/x                          | http://h/x
            http://h:0080/                       | http://h:80/
            http://h:65535/                      | http://h:65535/
            http://[::1]:80/x                    | http://[::1]:80/x
            http://[2001:DB8::1.2.3.4]/          | http://[2001:db8::1.2.3.4]/
            http://h./                           | http://h./
            https://h./                          | https://h/
            http://h/a//b/../c?d=[]              | http://h/a//b/../c?d=[]
            """)
    void a_url_is_sent_as_ascii(String written, String sent) {
        assertEquals(sent, HttpUrl.parse(written).toString());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "http:/x                 | has no host",
                "http:x                  | has no host",
                "http://                 | has no host",
                "http:///x               | has no host",
                "http://:80/             | has no host",
                "http:\\\\h\\x           | has no host",
                "//h/x                   | must be an absolute http or https URL",
                "h:80/x                  | must be an absolute http or https URL",
                "ftp://h/                | not ftp:",
                "http://127.0.0.1:70000/ | has the port 70000; ports are numbers from 1 to 65535",
                "http://h:0/             | has the port 0",
                "http://h:-1/            | has the port -1",
                "http://h:80a/           | has the port 80a",
                "http://h:99999999999/   | has the port 99999999999",
                "http://h:80:90/         | has the port 80:90",
                "http://u:p@h/           | must not contain a user name or password",
                "http://u@h/             | must not contain a user name or password",
                "http://h/x#y            | must have no fragment",
                "http://h#               | must have no fragment",
                "http://[fe80::1%eth0]/  | has a zone",
                "http://[fe80::1%25lo]/  | has a zone",
                "http://[::x]/           | is not an IPv6 address",
                "http://[]/              | is not an IPv6 address",
                "http://[::1/            | is not an IPv6 address",
                "http://a b/             | is not a host",
                "http://a..b/            | is not a host",
                "http://%41/             | is not a host",
                "http://a\\b/            | is not a host",
                "http://faß.de/          | convert differently",
                "http://a／b/             | is not a host",
                "http://1.2.3.400/       | is not an IPv4 address",
                "http://0x7f.1/          | is not an IPv4 address",
                "http://0X7F000001/      | is not an IPv4 address",
                "http://1.2.3.0x4./      | is not an IPv4 address",
                "http://０x7f.1/          | is not an IPv4 address",
                "http://017700000001/    | is not an IPv4 address",
                "http://0251.254.169.254/ | is not an IPv4 address",
                "http://09.1.1.1/        | without leading zeros",
                "http://256.1/           | is not an IPv4 address",
                "http://1.16777216/      | is not an IPv4 address",
                "http://4294967296/      | is not an IPv4 address",
                "http://1.2.3.4.5/       | is not an IPv4 address",
                "http://h/a b            | has the character blank, which is not allowed in a URL: write %20",
                "http://h/<x>            | has the character \"<\", which is not allowed in a URL: write %3C",
                "http://h/?q={x}         | write %7B",
                "http://h/a\\b           | write %5C",
                "http://h/100%           | has a \"%\" without two hexadecimal digits: write %25",
                "http://h/%zz            | has a \"%\" without two hexadecimal digits: write %25",
            })
    void a_url_that_cannot_be_sent_is_refused_and_told_why(String written, String reason) {
        String message = assertThrows(TemplateException.class, () -> HttpUrl.parse(written))
                .getMessage();
        assertTrue(message.contains(reason), message);
    }

    @Test
    void a_filled_in_value_is_encoded_like_the_rest_of_the_url() {
        Values values = new Values("s", "t", 1, StrictJson.readStored("{\"x\":\"ä/€ 日\"}"), name -> "");
        assertEquals(
                "http://h/%C3%BC/%C3%A4%2F%E2%82%AC%20%E6%97%A5?%C3%B6=%C3%A4%2F%E2%82%AC%20%E6%97%A5",
                UrlTemplate.parse("http://h/ü/${data.x}?ö=${data.x}")
                        .render(values)
                        .toString());
        assertThrows(
                TemplateException.class, () -> UrlTemplate.parse("http://h/a b").render(values));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/x              | http://h_1:8/x",
                "x?y             | http://h_1:8/a/x?y",
                "../x            | http://h_1:8/x",
                "../../../x/.    | http://h_1:8/x/",
                "?z              | http://h_1:8/a/b?z",
                "#top            | http://h_1:8/a/b?q",
                "//other/x       | http://other/x",
                "https://o/x#y   | https://o/x",
                "/a b^c{d}100%   | http://h_1:8/a%20b%5Ec%7Bd%7D100%25",
                "/\u00c3\u00a4    | http://h_1:8/%C3%A4",
                "/\u00e4          | http://h_1:8/%E4",
            })
    void a_location_leads_where_a_browser_would_go(String location, String reached) {
        assertEquals(
                reached, HttpUrl.parse("http://h_1:8/a/b?q").resolve(location).toString());
    }
}
