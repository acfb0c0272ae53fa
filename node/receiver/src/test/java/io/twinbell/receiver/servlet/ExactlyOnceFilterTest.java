package io.twinbell.receiver.servlet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.receiver.CallTransactions;
import io.twinbell.receiver.ExactlyOnceReceiver;
import io.twinbell.receiver.ReceiverDatabases;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.eclipse.jetty.ee10.servlet.FilterHolder;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Real requests to a servlet behind the filter. */
@Timeout(60)
class ExactlyOnceFilterTest {
    private final Server server = new Server(0);
    private DataSource database;

    /** Books the body or the form's field {@code name}, and answers as the path says. */
    private static final class BookingServlet extends HttpServlet {
        private static final long serialVersionUID = 1;

        @Override
        protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
            String name = request.getParameter("name") == null
                    ? request.getReader().readLine()
                    : request.getParameter("name");
            try (PreparedStatement insert =
                    ExactlyOnceFilter.connection(request).prepareStatement("insert into effect values (?)")) {
                insert.setString(1, name);
                insert.executeUpdate();
            } catch (SQLException e) {
                throw new IOException(e);
            }
            switch (request.getPathInfo()) {
                case "/fails" -> response.sendError(502, "no ink");
                case "/throws" -> throw new IllegalStateException("no paper");
                case "/flushes" -> {
                    response.getOutputStream().write("early".getBytes());
                    response.flushBuffer();
                    response.setStatus(500);
                }
                case "/redirects" -> {
                    response.sendRedirect("/elsewhere");
                    throw new IllegalStateException("changed its mind");
                }
                case "/defers" -> {
                    AsyncContext later = request.startAsync();
                    later.getResponse().getWriter().print("early");
                    later.complete();
                }
                case "/latin" -> {
                    response.setContentType("text/plain");
                    response.getWriter().print("booked ä " + name);
                }
                default -> {
                    response.setContentType("text/plain;charset=utf-8");
                    response.getWriter().print("booked ä " + name);
                }
            }
        }
    }

    @BeforeEach
    void start() throws Exception {
        database = ReceiverDatabases.fresh("h2");
        ExactlyOnceReceiver receiver =
                ExactlyOnceReceiver.builder(CallTransactions.of(database)).build();
        ServletContextHandler context = new ServletContextHandler();
        FilterHolder filter = new FilterHolder(new ExactlyOnceFilter(receiver, 1000));
        filter.setAsyncSupported(true);
        context.addFilter(filter, "/calls/*", null);
        ServletHolder servlet = new ServletHolder(new BookingServlet());
        servlet.setAsyncSupported(true);
        context.addFilter(new FilterHolder(new ExactlyOnceFilter(receiver, 1000)), "/calls/twice/*", null);
        context.addServlet(servlet, "/calls/*");
        server.setHandler(context);
        server.start();
    }

    @AfterEach
    void stop() throws Exception {
        server.stop();
    }

    private HttpResponse<String> post(String path, String key, String type, String body) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:"
                        + ((ServerConnector) server.getConnectors()[0]).getLocalPort() + "/calls" + path))
                .header("Content-Type", type)
                .header("Twinbell-Attempt", "1")
                .header("Twinbell-Epoch", "1")
                .POST(HttpRequest.BodyPublishers.ofString(body));
        if (key != null) {
            request.header("Idempotency-Key", key);
        }
        return HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private long effects() throws SQLException {
        return ReceiverDatabases.number(database, "select count(*) from effect");
    }

    @Test
    void a_repeated_request_gets_the_same_answer_and_does_not_reach_the_servlet() throws Exception {
        HttpResponse<String> first = post("/books", "k", "text/plain", "one");
        HttpResponse<String> again = post("/books", "k", "text/plain", "two");
        assertEquals(200, first.statusCode());
        assertEquals("booked ä one", first.body());
        assertEquals(first.body(), again.body());
        assertEquals(first.headers().firstValue("content-type"), again.headers().firstValue("content-type"));
        assertEquals(1, effects());
    }

    @Test
    void the_fields_of_a_form_reach_the_servlet() throws Exception {
        assertEquals(
                "booked ä a&b",
                post("/books?other=1", "k", "application/x-www-form-urlencoded", "x=1&name=a%26b")
                        .body());
    }

    @Test
    void a_failed_answer_leaves_no_effect_and_reaches_the_sender() throws Exception {
        HttpResponse<String> failed = post("/fails", "k", "text/plain", "one");
        assertEquals(502, failed.statusCode());
        assertEquals("no ink", failed.body());
        assertEquals(500, post("/throws", "k", "text/plain", "one").statusCode());
        HttpResponse<String> flushed = post("/flushes", "k", "text/plain", "one");
        assertEquals(500, flushed.statusCode(), "nothing left before the roll-back");
        assertEquals("early", flushed.body());
        assertEquals(0, effects());
        assertEquals(200, post("/books", "k", "text/plain", "one").statusCode());
        assertEquals(1, effects());
    }

    @Test
    void a_request_that_is_no_call_or_too_large_is_refused() throws Exception {
        HttpResponse<String> stranger = post("/books", null, "text/plain", "one");
        assertEquals(400, stranger.statusCode());
        assertTrue(stranger.body().contains("Idempotency-Key"), stranger.body());
        assertEquals(413, post("/books", "k", "text/plain", "x".repeat(1001)).statusCode());
        assertEquals(0, effects());
    }

    @Test
    void neither_a_redirection_nor_an_asynchronous_answer_leaves_before_the_commit() throws Exception {
        assertEquals(500, post("/redirects", "k", "text/plain", "one").statusCode());
        HttpResponse<String> deferred = post("/defers", "k", "text/plain", "one");
        assertEquals(500, deferred.statusCode(), deferred.body());
        assertEquals(0, effects());
    }

    @Test
    void an_answer_says_in_which_charset_it_was_written_also_when_repeated() throws Exception {
        assertEquals("booked ä one", post("/latin", "k", "text/plain", "one").body());
        assertEquals("booked ä one", post("/latin", "k", "text/plain", "one").body());
    }

    @Test
    void a_filter_that_is_mapped_twice_enters_the_call_once() throws Exception {
        assertEquals(200, post("/twice", "k", "text/plain", "one").statusCode());
        assertEquals(1, effects());
    }
}
