package io.twinbell.node.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.config.NodeConfig.HttpAccess.Mode;
import io.twinbell.node.settings.ConfigException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Who may reach the node, and how it proves who it is: what may be set together, and what is refused. */
class SecuritySettingsTest {
    @Test
    void on_loopback_everybody_may_read_unless_configured_otherwise() {
        for (String host : List.of("127.0.0.1", "localhost", "127.8.9.1", "::1")) {
            assertEquals(Mode.READ, mode("http.host=" + host));
        }
        assertEquals(Mode.OPEN, mode("http.access=OPEN"));
    }

    @Test
    void beyond_loopback_a_node_needs_an_explicit_permission_and_requires_tokens() {
        for (String host : List.of("10.0.0.5", "0.0.0.0", "::", "fe80::1", "no-such-host.invalid")) {
            String refusal = errors("http.access=TOKENS", "http.host=" + host);
            assertTrue(refusal.contains("with http.insecure: true"), refusal);
            assertEquals(Mode.TOKENS, mode("http.insecure=true", "http.host=" + host));
            assertEquals(Mode.TOKENS, mode("http.enabled=false", "http.host=" + host));
        }
        assertEquals(Mode.READ, mode("http.insecure=true", "http.access=READ", "http.host=10.0.0.5"));
        // The file is refused for what it is, and not the address.
        String encrypted = errors("http.host=10.0.0.5", "http.tls.certificate=/no-such-file");
        assertFalse(encrypted.contains("can be reached from other machines"), encrypted);
        String open = errors("http.host=10.0.0.5", "http.tls.certificate=/no-such-file", "http.access=OPEN");
        assertTrue(open.contains("every client could change everything"), open);
    }

    @Test
    void tls_files_that_cannot_be_used_are_errors_that_name_the_file() {
        assertTrue(
                errors("http.tls.certificate=/none/a.pem").contains("http.tls: /none/a.pem: the file does not exist"));
        assertTrue(errors("http.tls.key=/none/a.pem")
                .contains("http.tls: certificate is missing, but other keys for TLS are set"));
        assertTrue(errors("http.tls.clientCertificates=MUST").contains("one of none, optional, required"));
    }

    @Test
    void a_provider_that_is_not_completely_described_is_an_error() {
        assertTrue(errors("http.oidc.issuer=http://id.example").contains("an https URL"));
        assertTrue(errors("http.oidc.issuer=https://id.example").contains("http.oidc.audience is required"));
        assertTrue(errors("http.oidc.roles=x=admin").contains("http.oidc.roles is set, but http.oidc.issuer is not"));
        assertTrue(errors("http.oidc.clientId=x").contains("http.oidc.clientId is set, but http.oidc.issuer is not"));
        String[] provider = {
            "http.oidc.issuer=https://id.example",
            "http.oidc.audience=x",
            "http.oidc.roles=x=admin",
            "http.oidc.clientId=x"
        };
        assertTrue(errors(provider[0], provider[1], provider[2], "http.oidc.clientSecret=s")
                .contains("http.oidc.clientSecret is set, but http.oidc.clientId is not"));
        assertTrue(errors(provider[0], provider[1], provider[2], provider[3], "http.oidc.scopes=profile")
                .contains("scopes that contain openid"));
        assertTrue(
                errors(provider[0], provider[1], provider[2], provider[3], "http.oidc.redirectUrl=http://ops.example/")
                        .contains("an https URL"));
        assertTrue(errors("http.tls.roles=deploy=admin")
                .contains("http.tls.roles is set, but http.tls.clientCertificates is NONE"));
        for (String bad : List.of("x", "x=king", "x=editor+root", "x=editor@,b")) {
            assertTrue(
                    errors("http.oidc.issuer=https://id.example", "http.oidc.roles=" + bad)
                            .contains("http.oidc.roles: \"" + bad + "\" is not VALUE=ROLE"),
                    bad);
        }
    }

    @Test
    void access_to_zookeeper_that_is_half_set_is_an_error() {
        assertTrue(errors("zookeeper.user=pair").contains("belong together: set both, or none"));
        assertTrue(errors("zookeeper.acl=twinbell")
                .contains("zookeeper.acl: \"twinbell\" is not an identity such as sasl:twinbell or x509:CN=a"));
        assertTrue(errors("zookeeper.tls.ca=/none/ca.pem")
                .contains("files for zookeeper.tls are set, but zookeeper.tls.enabled is false"));
        assertTrue(errors("zookeeper.tls.ca=/none/ca.pem")
                .contains("zookeeper.tls.ca: /none/ca.pem: the file does not exist"));
        assertTrue(errors("zookeeper.tls.certificate=/none/ca")
                .contains("its name must end in .pem, .p12 or .jks, which tells its format"));
    }

    @Test
    void an_authority_of_a_provider_that_cannot_be_read_is_an_error() {
        assertTrue(errors(
                        "http.oidc.issuer=https://id.example",
                        "http.oidc.audience=x",
                        "http.oidc.roles=x=admin",
                        "http.oidc.ca=/none/ca.pem")
                .contains("http.oidc.ca: /none/ca.pem: the file does not exist"));
    }

    @Test
    void health_checks_have_a_port_of_their_own_where_one_is_set() {
        assertEquals(
                new NodeConfig.Endpoint("127.0.0.1", 8181),
                config("http.health.port=8181").listeners().encryption().health());
        assertFalse(config().listeners().encryption().health().isEnabled());
    }

    @Test
    void the_usual_port_for_health_checks_is_a_hundred_above_that_of_the_api_or_below_it() {
        assertEquals(
                8181, config("http.port=8081").listeners().encryption().health().port());
        assertEquals(
                65_400,
                config("http.port=65500").listeners().encryption().health().port());
        assertEquals(0, config("http.port=0").listeners().encryption().health().port());
    }

    @Test
    void a_bad_port_of_the_api_is_reported_once() {
        ConfigException refusal = assertThrows(ConfigException.class, () -> config("http.port=x"));
        assertEquals(1, refusal.errors().size(), refusal.getMessage());
    }

    private static NodeConfig config(String... given) {
        List<String> sets =
                new ArrayList<>(List.of("node.id=a", "database.url=jdbc:postgresql://x/y", "zookeeper.connect=z:1"));
        sets.addAll(List.of(given));
        return ConfigReader.read(null, Map.of(), sets);
    }

    private static Mode mode(String... sets) {
        return config(sets).listeners().access().mode();
    }

    private static String errors(String... sets) {
        return assertThrows(ConfigException.class, () -> config(sets)).getMessage();
    }
}
