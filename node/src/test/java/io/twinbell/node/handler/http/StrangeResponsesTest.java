package io.twinbell.node.handler.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.engine.handler.HandlerOutcome;
import io.twinbell.node.task.definition.HandlerSpec;
import io.twinbell.node.task.definition.StatusCodes;
import io.twinbell.persistence.ledger.ExecutionState;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Answers byte by byte, as no proper server sends them: the status decides, whatever else they contain. */
@Timeout(60)
class StrangeResponsesTest {
    private static final String OK = "HTTP/1.1 200 OK\r\n";
    private static final String CHUNKS = "\r\n4\r\nfine\r\n0\r\n\r\n";
    private static final String FINE = "Content-Length: 4\r\n\r\nfine";

    private static final String NOT_VALID = "the receiver's response is not valid HTTP: ";
    private static final String NO_COLON = NOT_VALID + "a header line has no name or no colon: ";
    private static final String NO_NUMBER = NOT_VALID + "its Content-Length is not a number of bytes: ";
    private static final String NO_CHUNKS = NOT_VALID + "its Transfer-Encoding is not chunked: ";
    private static final String NO_STATUS =
            NOT_VALID + "it does not begin with a status line such as HTTP/1.1 200 OK: ";

    private final HttpCaller caller = HttpCalls.caller(List.of(), Map.of());
    private final ExecutorService serving = Executors.newSingleThreadExecutor();
    private ServerSocket receiver;

    @BeforeEach
    void listen() throws IOException {
        receiver = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    }

    @AfterEach
    void stop() throws IOException {
        caller.close();
        receiver.close();
        serving.shutdownNow();
    }

    private static Arguments answer(String name, String answer, String output) {
        return Arguments.of(name, answer.getBytes(ISO_8859_1), output);
    }

    static Stream<Arguments> successes() throws IOException {
        String gzipped = OK + "Content-Encoding: gzip\r\n\r\n";
        return Stream.of(
                answer("plain", OK + FINE, "HTTP 200\nfine"),
                answer("no reason phrase", "HTTP/1.1 200\r\n" + FINE, "HTTP 200\nfine"),
                answer("HTTP/1.0", "HTTP/1.0 200 OK\r\n\r\nfine", "HTTP 200\nfine"),
                answer("HTTP/1.2", "HTTP/1.2 200 OK\r\n" + FINE, "HTTP 200\nfine"),
                answer("blanks in the first line", " HTTP/1.1 \t 200   OK\r\n" + FINE, "HTTP 200\nfine"),
                answer("strange reason", "HTTP/1.1 200 \0\u00fc\u0001 <b>\r\n" + FINE, "HTTP 200\nfine"),
                answer("carriage return in a header", OK + "X-A: a\rb\r\n" + FINE, "HTTP 200\nfine"),
                answer("NUL in a name", OK + "X\0A: b\r\n" + FINE, "HTTP 200\nfine"),
                answer("header without a value", OK + "X-A:\r\n" + FINE, "HTTP 200\nfine"),
                answer("length with a sign", OK + "Content-Length: +4\r\n\r\nfine", "HTTP 200\nfine"),
                answer("length with zeros", OK + "Content-Length: \t 0004 \r\n\r\nfine", "HTTP 200\nfine"),
                answer("line feeds alone", "HTTP/1.1 200 OK\nContent-Length: 4\n\nfine", "HTTP 200\nfine"),
                answer("no length", OK + "\r\nfine", "HTTP 200\nfine"),
                answer(
                        "unknown charset",
                        OK + "Content-Type: text/plain; charset=nonsense\r\n" + FINE,
                        "HTTP 200\nfine"),
                answer(
                        "illegal charset",
                        OK + "Content-Type: text/plain; charset=\"\u00e9 ?\"\r\n" + FINE,
                        "HTTP 200\nfine"),
                answer("no charset", OK + "Content-Type: text/plain; charset=\r\n" + FINE, "HTTP 200\nfine"),
                answer("no type", OK + "Content-Type: ;;;=,\"\r\n" + FINE, "HTTP 200\nfine"),
                answer("empty type", OK + "Content-Type:\r\n" + FINE, "HTTP 200\nfine"),
                answer("two types", OK + "Content-Type: a/b\r\nContent-Type: c/d\r\n" + FINE, "HTTP 200\nfine"),
                answer(
                        "declared latin",
                        OK + "Content-Type: text/plain; charset=ISO-8859-1\r\n\r\n\u00fc",
                        "HTTP 200\n\u00fc"),
                answer(
                        "declared utf-16",
                        OK + "Content-Type: text/plain; charset=utf-16le\r\n\r\na\0b\0",
                        "HTTP 200\nab"),
                answer("invalid utf-8", OK + "\r\n\u00ff\u00fe!", "HTTP 200\n\ufffd\ufffd!"),
                answer("non-ASCII header", OK + "X-Gr\u00fc\u00dfe: \u00e4\u00ff\r\n" + FINE, "HTTP 200\nfine"),
                answer("NUL in a header", OK + "X-A: a\0b\r\n" + FINE, "HTTP 200\nfine"),
                answer("folded header", OK + "X-A: a\r\n  b\r\n\tc\r\n" + FINE, "HTTP 200\nfine"),
                answer("blank before the colon", OK + "X-A : b\r\n" + FINE, "HTTP 200\nfine"),
                answer("first header folded", OK + " X-A: b\r\n" + FINE, "HTTP 200\nfine"),
                answer("bad cookie", OK + "Set-Cookie: \u0001=;;;expires=never\r\n" + FINE, "HTTP 200\nfine"),
                answer("bad date", OK + "Date: yesterday\r\nExpires: -1\r\nAge: x\r\n" + FINE, "HTTP 200\nfine"),
                answer("bad keep-alive", OK + "Keep-Alive: timeout=x, max=\u00ff\r\n" + FINE, "HTTP 200\nfine"),
                answer(
                        "endless keep-alive",
                        OK + "Keep-Alive: timeout=99999999999999999999\r\n" + FINE,
                        "HTTP 200\nfine"),
                answer("bad connection", OK + "Connection: \u00e4,,;=\r\n" + FINE, "HTTP 200\nfine"),
                answer("upgrade offered", OK + "Upgrade: h2c\r\nConnection: upgrade\r\n" + FINE, "HTTP 200\nfine"),
                answer("authentication asked", OK + "WWW-Authenticate: \"\r\n" + FINE, "HTTP 200\nfine"),
                answer("location without redirect", OK + "Location: http://[::x\r\n" + FINE, "HTTP 200\nfine"),
                answer("bad retry-after", OK + "Retry-After: soon\r\n" + FINE, "HTTP 200\nfine"),
                answer(
                        "interim answers",
                        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n" + OK + FINE,
                        "HTTP 200\nfine"),
                answer("many interim answers", "HTTP/1.1 102 Wait\r\n\r\n".repeat(500) + OK + FINE, "HTTP 200\nfine"),
                answer("empty lines before", "\r\n\r\n" + OK + FINE, "HTTP 200\nfine"),
                answer("204 with a body", "HTTP/1.1 204 No Content\r\n" + FINE, "HTTP 204"),
                answer("205 with a body", "HTTP/1.1 205 Reset Content\r\n" + FINE, "HTTP 205\nfine"),
                answer("length too short", OK + "Content-Length: 2\r\n\r\nfine", "HTTP 200\nfi"),
                answer("chunked", OK + "Transfer-Encoding: chunked\r\n\r\n4\r\nfine\r\n0\r\n\r\n", "HTTP 200\nfine"),
                answer(
                        "chunked with trailers",
                        OK + "Transfer-Encoding: chunked\r\n\r\n4;x=\"y\r\nfine\r\n0\r\nX-\u00e4: b\r\n\r\n",
                        "HTTP 200\nfine"),
                answer("chunked in capitals", OK + "transfer-encoding: ,CHUNKED,\r\n" + CHUNKS, "HTTP 200\nfine"),
                answer(
                        "chunked in HTTP/1.0",
                        "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n" + CHUNKS,
                        "HTTP 200\nfine"),
                answer(
                        "chunk size with zeros and blanks",
                        OK + "Transfer-Encoding: chunked\r\n\r\n0004 \r\nfine\r\n00\r\n\r\n",
                        "HTTP 200\nfine"),
                answer(
                        "trailer without colon",
                        OK + "Transfer-Encoding: chunked\r\n\r\n4\r\nfine\r\n0\r\nnonsense\r\n\r\n",
                        "HTTP 200\n[the trailers and the last part of the body could not be read"),
                answer(
                        "too many trailers",
                        OK + "Transfer-Encoding: chunked\r\n\r\n4\r\nfine\r\n0\r\n" + "X: y\r\n".repeat(300) + "\r\n",
                        "HTTP 200\n[the trailers and the last part of the body could not be read"),
                answer(
                        "chunked with a length",
                        OK + "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n4\r\nfine\r\n0\r\n\r\n",
                        "HTTP 200\nfine"),
                answer(
                        "unknown content coding",
                        OK + "Content-Encoding: br\r\n" + FINE,
                        "HTTP 200\n[the body is encoded as br and could not be decoded]"),
                answer(
                        "nonsense content coding",
                        OK + "Content-Encoding: \u00e4;;\r\n" + FINE,
                        "HTTP 200\n[the body is encoded as \u00e4;; and"),
                answer(
                        "too many content codings",
                        OK + "Content-Encoding: gzip,gzip,gzip,gzip\r\n" + FINE,
                        "HTTP 200\n[the body is encoded"),
                answer("identity", OK + "Content-Encoding: identity\r\n" + FINE, "HTTP 200\nfine"),
                answer(
                        "gzip that is none",
                        OK + "Content-Encoding: gzip\r\n" + FINE,
                        "HTTP 200\n[the body is encoded as gzip and could not be decoded]"),
                Arguments.of("gzip", with(gzipped, gzip("fine".getBytes(UTF_8))), "HTTP 200\nfine"),
                Arguments.of(
                        "gzip twice",
                        with(OK + "Content-Encoding: GZIP, x-gzip\r\n\r\n", gzip(gzip("fine".getBytes(UTF_8)))),
                        "HTTP 200\nfine"),
                Arguments.of(
                        "gzip in latin",
                        with(
                                OK + "Content-Type: a/b; charset=latin1\r\nContent-Encoding: gzip\r\n\r\n",
                                gzip("\u00e4".getBytes(ISO_8859_1))),
                        "HTTP 200\n\u00e4"),
                Arguments.of(
                        "deflate", with(OK + "Content-Encoding: deflate\r\n\r\n", deflate(false)), "HTTP 200\nfine"),
                Arguments.of(
                        "raw deflate", with(OK + "Content-Encoding: deflate\r\n\r\n", deflate(true)), "HTTP 200\nfine"),
                Arguments.of("gzip bomb", with(gzipped, gzip(new byte[50_000_000])), "HTTP 200\n\0\0\0"),
                Arguments.of(
                        "gzip in gzip bomb",
                        with(OK + "Content-Encoding: gzip, gzip\r\n\r\n", gzip(gzip(new byte[50_000_000]))),
                        "HTTP 200\n\0\0\0"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("successes")
    void a_success_stays_one(String name, byte[] answer, String output) throws Exception {
        serve(answer);
        HandlerOutcome outcome = call(HandlerSpec.HttpRules.DEFAULT);
        assertEquals(ExecutionState.SUCCEEDED, outcome.state(), outcome.toString());
        assertTrue(outcome.output().startsWith(output), outcome.output());
        assertTrue(outcome.output().length() < 9000, "output is bounded");
    }

    static Stream<Arguments> failures() {
        return Stream.of(
                answer("header without colon", OK + "nonsense\r\n" + FINE, NO_COLON + "\"nonsense\""),
                answer("header without name", OK + ": nameless\r\n" + FINE, NO_COLON + "\": nameless\""),
                answer("blank name", OK + " : nameless\r\n" + FINE, NO_COLON),
                answer(
                        "long header without colon",
                        OK + "x".repeat(2000) + "\r\n" + FINE,
                        NO_COLON + "\"a long line\""),
                answer("length not a number", OK + "Content-Length: four\r\n\r\nfine", NO_NUMBER + "\"four\""),
                answer("length empty", OK + "Content-Length:\r\n\r\nfine", NO_NUMBER + "\"\""),
                answer("length as a list", OK + "Content-Length: 4, 4\r\n\r\nfine", NO_NUMBER + "\"4, 4\""),
                answer("length negative", OK + "Content-Length: -4\r\n\r\nfine", NO_NUMBER + "\"-4\""),
                answer("length huge", OK + "Content-Length: 99999999999999999999\r\n\r\nfine", NO_NUMBER),
                answer(
                        "two lengths",
                        OK + "Content-Length: 4\r\n" + FINE,
                        "it has more than one Content-Length header"),
                answer(
                        "two different lengths",
                        OK + "Content-Length: 3\r\n" + FINE,
                        "it has more than one Content-Length header"),
                answer(
                        "identity transfer coding",
                        OK + "Transfer-Encoding: identity\r\n" + FINE,
                        NO_CHUNKS + "\"identity\""),
                answer("empty transfer coding", OK + "Transfer-Encoding:\r\n" + FINE, NO_CHUNKS + "\"\""),
                answer("chunked twice", OK + "Transfer-Encoding: chunked, chunked\r\n" + CHUNKS, NO_CHUNKS),
                answer("too many headers", OK + "X: y\r\n".repeat(300) + FINE, "it has more than 200 headers"),
                answer("endless header", OK + "X: " + "y".repeat(40_000) + "\r\n" + FINE, "more than 32768 characters"),
                answer("version in small letters", "http/1.1 200 OK\r\n" + FINE, NO_STATUS + "\"http/1.1 200 OK\""),
                answer("HTTP/2 in text", "HTTP/2 200\r\n" + FINE, "HTTP/2"),
                answer(
                        "unknown transfer coding",
                        OK + "Transfer-Encoding: gzip, chunked\r\n\r\n4\r\nfine\r\n0\r\n\r\n",
                        "not valid HTTP"),
                answer("nonsense transfer coding", OK + "Transfer-Encoding: \u00e4\r\n\r\nfine", "not valid HTTP"),
                answer("length too long", OK + "Content-Length: 100\r\n\r\nfine", "the response 200 broke off"),
                answer(
                        "chunk that is none",
                        OK + "Transfer-Encoding: chunked\r\n\r\nfine",
                        "the response 200 broke off"),
                answer(
                        "chunk with a negative size",
                        OK + "Transfer-Encoding: chunked\r\n\r\n-4\r\nfine",
                        "the response 200 broke off"),
                answer(
                        "chunks break off",
                        OK + "Transfer-Encoding: chunked\r\n\r\n9\r\nfine",
                        "the response 200 broke off"),
                answer("HTTP/0.9", "fine", NO_STATUS + "\"fine\""),
                answer("silence", "", ""),
                answer("status 999", "HTTP/1.1 999 What\r\n" + FINE, "999"),
                answer("status 099", "HTTP/1.1 099 What\r\n" + FINE, ""),
                answer("status no number", "HTTP/1.1 two OK\r\n" + FINE, "not valid HTTP"),
                answer("status negative", "HTTP/1.1 -200 OK\r\n" + FINE, ""),
                answer("status huge", "HTTP/1.1 2000000000000 OK\r\n" + FINE, ""),
                answer("another protocol", "220 mail.example.com ESMTP\r\n500 What?\r\n", ""),
                answer(
                        "switching protocols",
                        "HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nxxx",
                        ""),
                answer("interim answers alone", "HTTP/1.1 100 Continue\r\n\r\n".repeat(20), ""),
                answer(
                        "redirect to nonsense",
                        "HTTP/1.1 302 Found\r\nLocation: http://[::x\u00ff\r\n\r\n",
                        "redirects to an invalid URL"),
                answer(
                        "redirect elsewhere",
                        "HTTP/1.1 307 Found\r\nLocation: gopher://h/\r\n\r\n",
                        "redirects to an invalid URL"),
                answer("redirect nowhere", "HTTP/1.1 307 Found\r\n\r\n", "responded with 307"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("failures")
    void every_other_answer_fails_with_its_reason(String name, byte[] answer, String error) throws Exception {
        serve(answer);
        HandlerOutcome outcome =
                call(new HandlerSpec.HttpRules(new StatusCodes(List.of("2xx")), Duration.ofSeconds(5), true, null));
        assertEquals(ExecutionState.FAILED, outcome.state(), outcome.toString());
        assertTrue(outcome.error().contains(error), outcome.error());
    }

    @Test
    void a_body_that_never_ends_is_read_up_to_a_bound_and_its_status_counts() throws Exception {
        serving.submit(() -> {
            try (Socket connection = receiver.accept();
                    OutputStream out = connection.getOutputStream()) {
                connection.getInputStream().read(new byte[8192]);
                out.write((OK + "\r\n").getBytes(ISO_8859_1));
                byte[] part = new byte[1024 * 1024];
                for (long sent = 0; sent < 16 * ResponseReader.MOST_READ; sent += part.length) {
                    out.write(part);
                }
            }
            return null;
        });
        HandlerOutcome outcome = call(HandlerSpec.HttpRules.DEFAULT);
        assertEquals(ExecutionState.SUCCEEDED, outcome.state(), outcome.toString());
        assertTrue(outcome.output().contains("more than 64 MiB were not read"), outcome.output());
    }

    @Test
    void bytes_after_an_answer_are_never_taken_for_the_next_one() throws Exception {
        String forged = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged";
        for (String first : List.of("HTTP/1.1 204 No Content\r\n\r\n", OK + FINE)) {
            serve((first + forged).getBytes(ISO_8859_1), false);
            // Else the next call could be sent on this connection while its end is still on the way.
            serve("HTTP/1.1 500 Real\r\nConnection: close\r\nContent-Length: 0\r\n\r\n".getBytes(ISO_8859_1));
            HandlerOutcome outcome = call(HandlerSpec.HttpRules.DEFAULT);
            assertEquals(ExecutionState.SUCCEEDED, outcome.state(), outcome.toString());
            String next = call(HandlerSpec.HttpRules.DEFAULT).error();
            if (next != null && next.equals("Unexpected response")) {
                // The bytes arrived while the connection was chosen for this call, which they end. It is closed then.
                next = call(HandlerSpec.HttpRules.DEFAULT).error();
            }
            assertEquals("the receiver responded with 500", next);
        }
    }

    private void serve(byte[] answer) {
        serve(answer, true);
    }

    /** One connection after the other. */
    private void serve(byte[] answer, boolean closes) {
        serving.submit(() -> {
            Socket connection = receiver.accept();
            connection.getInputStream().read(new byte[8192]);
            connection.getOutputStream().write(answer);
            if (closes) {
                connection.shutdownOutput();
            }
            return null;
        });
    }

    private HandlerOutcome call(HandlerSpec.HttpRules rules) {
        HandlerSpec.HttpCall spec =
                HttpCalls.spec("GET", "http://127.0.0.1:" + receiver.getLocalPort() + "/", Map.of(), null, rules);
        return caller.start(HttpCalls.call(spec, null), spec).join();
    }

    private static byte[] with(String head, byte[] body) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.writeBytes(head.getBytes(ISO_8859_1));
        bytes.writeBytes(body);
        return bytes.toByteArray();
    }

    private static byte[] gzip(byte[] content) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (OutputStream packed = new GZIPOutputStream(bytes)) {
            packed.write(content);
        }
        return bytes.toByteArray();
    }

    private static byte[] deflate(boolean isRaw) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (OutputStream packed = new DeflaterOutputStream(bytes, new Deflater(9, isRaw))) {
            packed.write("fine".getBytes(UTF_8));
        }
        return bytes.toByteArray();
    }
}
