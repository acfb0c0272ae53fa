package io.twinbell.node.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.handler.config.CallProfile;
import io.twinbell.node.handler.config.HostList;
import io.twinbell.node.settings.ConfigException;
import io.twinbell.node.settings.EffectiveSetting;
import io.twinbell.node.tls.TlsFiles;
import io.twinbell.node.tls.TlsInit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How the profiles of http calls are configured, and which settings are refused. */
class CallProfileSettingsTest {
    private static final String REQUIRED = """
            node: {id: a}
            database: {url: "jdbc:postgresql://db/twinbell"}
            zookeeper: {connect: "zk:2181"}
            """;
    private static final String KEY = "handlers.http.profiles.";

    @TempDir
    private static Path tls;

    @TempDir
    private Path folder;

    @BeforeAll
    static void issue() throws Exception {
        new TlsInit(tls, 30)
                .issue(
                        List.of(
                                new TlsInit.Request("one", List.of(), TlsInit.Use.CLIENT),
                                new TlsInit.Request("two", List.of(), TlsInit.Use.CLIENT)),
                        false);
    }

    private NodeConfig read(String profiles, Map<String, String> variables) throws IOException {
        Path file = Files.writeString(
                folder.resolve("twinbell.yaml"),
                REQUIRED + (profiles.isEmpty() ? "" : "handlers.http.profiles: " + profiles + "\n"));
        return ConfigReader.read(file, variables, List.of());
    }

    private String refusal(String profiles, Map<String, String> variables) {
        return assertThrows(ConfigException.class, () -> read(profiles, variables))
                .getMessage();
    }

    private String refusal(String profiles) {
        return refusal(profiles.replace("TLS", tls.toString()).replace("FOLDER", folder.toString()), Map.of());
    }

    @Test
    void a_profile_has_a_proxy_a_certificate_authorities_and_bounds() throws IOException {
        Files.writeString(folder.resolve("password"), "s3cret\n");
        NodeConfig config = read(
                "{partner: {proxy: 'http://[::1]:3128/', proxyUser: node, proxyPassword_FILE: password, certificate: "
                        + tls.resolve("one.pem") + ", key: " + tls.resolve("one-key.pem") + ", ca: "
                        + tls.resolve("ca.pem") + ", hosts: '*.partner.example, 10.0.0.0/8', apps: 'shop, billing'}}",
                Map.of());
        CallProfile expected = new CallProfile(
                new CallProfile.Proxy("::1", 3128, "node", "s3cret"),
                TlsFiles.forClient(tls.resolve("ca.pem"), tls.resolve("one.pem"), tls.resolve("one-key.pem")),
                HostList.of("*.partner.example", "10.0.0.0/8"),
                Set.of("shop", "billing"));
        assertEquals(Map.of("partner", expected), config.handlers().http().profiles());
        assertFalse(config.toString().contains("s3cret"), config::toString);
        assertTrue(config.passwords().contains("s3cret"));
    }

    @Test
    void variables_set_members_and_name_files_with_passwords() throws IOException {
        Path password = Files.writeString(folder.resolve("password"), "s3cret\n");
        NodeConfig config = read(
                "",
                Map.of(
                        "TWINBELL_HANDLERS_HTTP_PROFILES_MY_PARTNER_PROXY",
                        "http://proxy:80",
                        "TWINBELL_HANDLERS_HTTP_PROFILES_MY_PARTNER_PROXY_USER",
                        "u",
                        "TWINBELL_HANDLERS_HTTP_PROFILES_MY_PARTNER_PROXY_PASSWORD_FILE",
                        password.toString()));
        assertEquals(
                new CallProfile.Proxy("proxy", 80, "u", "s3cret"),
                config.handlers().http().profiles().get("my_partner").proxy());
        assertTrue(refusal("", Map.of("TWINBELL_HANDLERS_HTTP_PROFILES_X_PROXI", "http://proxy:80"))
                .contains("unknown variable TWINBELL_HANDLERS_HTTP_PROFILES_X_PROXI"));
    }

    @Test
    void the_effective_settings_hide_the_passwords_alone() throws IOException {
        Path file = Files.writeString(
                folder.resolve("twinbell.yaml"),
                REQUIRED + KEY + "p: {proxy: 'http://proxy:80', proxyUser: u, proxyPassword: s3cret}\n");
        Map<String, String> shown = ConfigReader.effective(file, Map.of(), List.of()).stream()
                .collect(Collectors.toMap(EffectiveSetting::key, EffectiveSetting::value));
        assertEquals("******", shown.get(KEY + "p.proxyPassword"));
        assertEquals("http://proxy:80", shown.get(KEY + "p.proxy"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        {p: {proxi: 'http://h:1'}}                                            | unknown key "handlers.http.profiles.p.proxi"
        {p: {proxi: 'http://h:1'}}                                            | did you mean "proxy"?
        {P: {proxy: 'http://h:1'}}                                            | the name of a profile consists of small letters
        {p: x}                                                                | p (FOLDER/twinbell.yaml, line 4): is a profile, so it needs members such as p.proxy
        {p: {apps: shop}}                                                     | p: needs proxy, certificate or ca
        {p: {proxy: 'https://h:1'}}                                           | p.proxy (FOLDER/twinbell.yaml, line 4): must be http://host:port
        {p: {proxy: 'h:1'}}                                                   | must be http://host:port
        {p: {proxy: 'http://h'}}                                              | must be http://host:port
        {p: {proxy: 'http://h:70000'}}                                        | must be http://host:port
        {p: {proxy: 'http://u:s3cret@h:1'}}                                   | a login belongs to proxyUser and proxyPassword
        {p: {proxy: 'http://h:1', proxyUser: u}}                              | p: proxyUser and proxyPassword belong together
        {p: {proxy: 'http://h:1', proxyUser: 'a:b', proxyPassword: x}}        | p.proxyUser: must not contain a colon
        {p: {ca: TLS/ca.pem, proxyUser: u, proxyPassword: x}}                 | p.proxyUser: needs proxy
        {p: {proxy: 'http://h:1', proxyUser: u, proxyPassword_FILE: /gone}}   | p.proxyPassword_FILE names the file /gone, which can't be read
        {p: {proxy: 'http://h:1', proxyUser: u, proxyPassword: x, proxyPassword_FILE: /gone}} | p.proxyPassword is set twice
        {p: {proxy: 'http://h:1', hosts: ''}}                                 | p.hosts (FOLDER/twinbell.yaml, line 4): is empty; omit the key
        {p: {proxy: 'http://h:1', hosts: 'a b'}}                              | p.hosts: "a b" is not a host
        {p: {proxy: 'http://h:1', apps: ','}}                                 | p.apps: must name at least one app
        {p: {certificate: TLS/gone.pem}}                                      | p: TLS/gone.pem: the file does not exist
        {p: {certificate: TLS/gone.p12}}                                      | p: TLS/gone.p12: the file does not exist
        {p: {certificate: TLS}}                                               | p: TLS: it is a directory, not a file
        {p: {certificate: TLS/one.pem, key: /dev/zero}}                       | p: /dev/zero: it is a named pipe, a socket or a device
        {p: {certificate: TLS/one.pem}}                                       | p: TLS/one.pem: it has no private key
        {p: {certificate: TLS/one.pem, key: TLS/two-key.pem}}                 | its key does not belong to the certificate
        {p: {key: TLS/one-key.pem, ca: TLS/ca.pem}}                           | p: certificate is missing
        {p: {keyPassword: x, ca: TLS/ca.pem}}                                 | p.keyPassword: needs certificate
        {p: {ca: TLS/one-key.pem}}                                            | p: TLS/one-key.pem: it has no certificate
        """)
    void a_setting_that_no_call_could_use_is_refused_by_name(String profiles, String expected) {
        String refusal = refusal(profiles);
        assertTrue(
                refusal.contains(expected.replace("TLS", tls.toString()).replace("FOLDER", folder.toString())),
                refusal);
        assertFalse(refusal.contains("s3cret"), refusal);
    }

    @Test
    void more_than_fifty_profiles_are_refused() {
        String many = IntStream.rangeClosed(1, 51)
                .mapToObj(number -> "p" + number + ": {proxy: 'http://h:1'}")
                .collect(Collectors.joining(", ", "{", "}"));
        assertTrue(refusal(many).contains("51 profiles are configured; at most 50 are allowed"));
    }
}
