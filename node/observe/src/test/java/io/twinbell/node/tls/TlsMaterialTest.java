package io.twinbell.node.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TlsMaterialTest {
    @TempDir
    static Path directory;

    @TempDir
    private static Path stores;

    private static TlsInit authority;
    private static Path rsaStore;

    @TempDir
    Path own;

    @BeforeAll
    static void issue() throws Exception {
        authority = new TlsInit(directory, 30);
        authority.issue(List.of(node("a"), node("b")), false);
        rsaStore = rsaStore();
    }

    /** The authority's files in a directory of the test, which may change them. */
    private TlsInit copyOfAuthority() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Files.copy(file, own.resolve(file.getFileName()));
            }
        }
        return new TlsInit(own, 30);
    }

    private static TlsInit.Request node(String name) {
        return new TlsInit.Request(name, List.of("127.0.0.1", "localhost", "::1"), TlsInit.Use.NODE);
    }

    private static TlsFiles files(Path certificate, Path key, String password) {
        return new TlsFiles(certificate, key, password, authority.certificate("ca"), null, TlsFiles.Clients.NONE);
    }

    private static byte[] key(Path file) throws IOException {
        return Base64.getMimeDecoder().decode(Files.readString(file).replaceAll("-----[^-]+-----", ""));
    }

    private Path pem(String type, byte[] content) throws IOException {
        return Files.writeString(
                own.resolve("key.pem"),
                "-----BEGIN " + type + "-----\n" + Base64.getMimeEncoder().encodeToString(content) + "\n-----END "
                        + type + "-----\n");
    }

    /** A private authority and keys of RSA, made by the JDK's own tool. */
    private static Path rsaStore() throws Exception {
        Path store = stores.resolve("rsa.p12");
        TlsInit.keytool(List.of(
                "-genkeypair",
                "-keyalg",
                "RSA",
                "-keysize",
                "2048",
                "-dname",
                "CN=rsa",
                "-alias",
                "x",
                "-storetype",
                "PKCS12",
                "-keystore",
                store.toString(),
                "-storepass",
                "secret"));
        return store;
    }

    private static KeyStore load(Path store) throws Exception {
        return KeyStore.getInstance(store.toFile(), "secret".toCharArray());
    }

    private static String problem(TlsFiles files) {
        return assertThrows(TlsFileException.class, () -> TlsMaterial.read(files))
                .getMessage();
    }

    @Test
    void a_certificate_of_the_authority_is_read_with_its_chain_and_its_end() throws IOException {
        TlsMaterial read = TlsMaterial.read(files(authority.certificate("a"), authority.key("a"), null));
        List<X509Certificate> chain = PemFile.read(authority.certificate("a")).certificates();
        assertEquals(2, chain.size());
        assertEquals(Optional.of(chain.get(0).getNotAfter().toInstant()), read.end());
        assertEquals("CN=a", chain.get(0).getSubjectX500Principal().getName());
        assertEquals(3, names(chain.get(0)));
    }

    private static int names(X509Certificate certificate) {
        try {
            return certificate.getSubjectAlternativeNames().size();
        } catch (java.security.cert.CertificateParsingException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void keys_are_readable_by_their_owner_only() throws IOException {
        for (String name : List.of("a", "b", "ca")) {
            assertEquals(
                    "rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(authority.key(name))));
        }
        try (var left = Files.list(directory)) {
            assertEquals(6, left.count(), "nothing but three certificates and three keys");
        }
    }

    @Test
    void nothing_is_overwritten_except_by_a_renewal_of_the_same_authority() throws Exception {
        TlsInit again = copyOfAuthority();
        String before = Files.readString(again.certificate("a"));
        String ca = Files.readString(again.certificate("ca"));
        assertThrows(FileAlreadyExistsException.class, () -> again.issue(List.of(node("c"), node("a")), false));
        assertTrue(Files.notExists(again.certificate("c")));
        assertEquals(before, Files.readString(again.certificate("a")));
        again.issue(List.of(node("a")), true);
        assertTrue(!before.equals(Files.readString(again.certificate("a"))));
        assertEquals(ca, Files.readString(again.certificate("ca")));
        X509Certificate renewed =
                PemFile.read(again.certificate("a")).certificates().get(0);
        renewed.verify(
                PemFile.read(again.certificate("ca")).certificates().get(0).getPublicKey());
    }

    @Test
    void a_key_may_be_in_the_file_of_the_certificate() throws IOException {
        Path both = own.resolve("both.pem");
        Files.writeString(
                both,
                "subject=/CN=a\n" + Files.readString(authority.certificate("a"))
                        + Files.readString(authority.key("a")));
        assertTrue(TlsMaterial.read(files(both, null, null)).end().isPresent());
    }

    @Test
    void an_ec_key_in_the_older_format_is_read() throws Exception {
        Path older = pem("EC PRIVATE KEY", withoutAlgorithm(key(authority.key("a"))));
        Files.writeString(
                older,
                "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n"
                        + Files.readString(older));
        assertTrue(TlsMaterial.read(files(authority.certificate("a"), older, null))
                .end()
                .isPresent());
    }

    @Test
    void an_rsa_key_in_the_older_format_is_read() throws Exception {
        KeyStore store = load(rsaStore);
        Path older = pem(
                "RSA PRIVATE KEY",
                withoutAlgorithm(store.getKey("x", "secret".toCharArray()).getEncoded()));
        Path certificate = Files.writeString(
                own.resolve("rsa.pem"),
                "-----BEGIN CERTIFICATE-----\n"
                        + Base64.getMimeEncoder()
                                .encodeToString(store.getCertificate("x").getEncoded())
                        + "\n-----END CERTIFICATE-----\n");
        assertTrue(TlsMaterial.read(files(certificate, older, null)).end().isPresent());
    }

    /** PKCS #8 is a sequence of version, algorithm, and the key in the older format. */
    private static byte[] withoutAlgorithm(byte[] key) {
        ByteBuffer der = ByteBuffer.wrap(key);
        enter(der);
        skip(der);
        skip(der);
        byte[] inner = new byte[enter(der)];
        der.get(inner);
        return inner;
    }

    private static int enter(ByteBuffer der) {
        der.get();
        int first = der.get() & 0xff;
        int length = first < 0x80 ? first : 0;
        for (int i = 0; first >= 0x80 && i < (first & 0x7f); i++) {
            length = length << 8 | der.get() & 0xff;
        }
        return length;
    }

    private static void skip(ByteBuffer der) {
        int length = enter(der);
        der.position(der.position() + length);
    }

    @Test
    void an_encrypted_key_needs_its_password() throws Exception {
        Path both =
                Path.of(TlsMaterialTest.class.getResource("encrypted-key.pem").toURI());
        assertTrue(TlsMaterial.read(files(both, null, "secret")).end().isPresent());
        assertEquals(both + ": its key is encrypted, and no password is configured", problem(files(both, null, null)));
        assertEquals(
                both + ": its key cannot be decrypted: the password is wrong, or the method",
                problem(files(both, null, "wrong")));
    }

    @Test
    void a_pkcs12_file_has_key_and_chain() throws Exception {
        Path store = Files.copy(rsaStore, own.resolve("rsa.p12"));
        assertTrue(TlsMaterial.read(files(store, null, "secret")).end().isPresent());
        assertEquals(
                store + ": it is not a PKCS12 file, or its password is wrong", problem(files(store, null, "wrong")));
        Path missing = store.resolveSibling("missing.p12");
        assertEquals(missing + ": the file does not exist", problem(files(missing, null, "wrong")));
    }

    @Test
    void a_pkcs12_file_without_a_key_or_with_two_is_refused() throws Exception {
        Path store = Files.copy(rsaStore, own.resolve("rsa.p12"));
        KeyStore twice = load(store);
        twice.setKeyEntry("y", twice.getKey("x", "secret".toCharArray()), "secret".toCharArray(), new Certificate[] {
            twice.getCertificate("x")
        });
        try (OutputStream out = Files.newOutputStream(store)) {
            twice.store(out, "secret".toCharArray());
        }
        assertEquals(store + ": it has 2 private keys and must have one", problem(files(store, null, "secret")));
    }

    @Test
    void a_key_of_another_certificate_is_refused() {
        assertEquals(
                authority.key("b") + ": its key does not belong to the certificate " + authority.certificate("a"),
                problem(files(authority.certificate("a"), authority.key("b"), null)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "|it has no certificate: -----BEGIN CERTIFICATE----- is missing",
                "-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----|certificate 1 is damaged",
                "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----|certificate 1 is damaged",
            })
    void damaged_files_are_named_with_what_is_wrong(String given) throws IOException {
        String[] parts = given.split("\\|");
        Path file = Files.writeString(own.resolve("x.pem"), parts[0], StandardCharsets.UTF_8);
        String problem = problem(files(file, authority.key("a"), null));
        assertTrue(problem.startsWith(file + ": " + parts[1]), problem);
    }

    @Test
    void a_missing_file_is_named() {
        Path file = own.resolve("none.pem");
        assertEquals(file + ": the file does not exist", problem(files(file, null, null)));
    }

    @Test
    void settings_that_do_not_fit_together_are_named() {
        TlsFiles onlyKey = new TlsFiles(null, authority.key("a"), null, null, null, TlsFiles.Clients.NONE);
        assertEquals(List.of("certificate is missing, but other keys for TLS are set"), onlyKey.problems());
        TlsFiles nobodyIssues = new TlsFiles(
                authority.certificate("a"), authority.key("a"), null, null, null, TlsFiles.Clients.REQUIRED);
        assertEquals(
                List.of("clientCertificates is REQUIRED, but neither clientCa nor ca names the authorities that may"
                        + " issue them"),
                nobodyIssues.problems());
        assertEquals(List.of(), TlsFiles.NONE.problems());
    }

    @Test
    void new_files_are_taken_over_and_unusable_ones_are_reported_once() throws Exception {
        TlsInit live = copyOfAuthority();
        LiveTls tls = LiveTls.read(new TlsFiles(
                live.certificate("a"), live.key("a"), null, live.certificate("ca"), null, TlsFiles.Clients.NONE));
        var before = tls.server();
        assertEquals(LiveTls.Change.NONE, tls.refresh());
        String key = Files.readString(live.key("a"));
        Files.copy(live.key("b"), live.key("a"), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        assertEquals(LiveTls.Change.NONE, tls.refresh(), "the certificate may follow");
        assertEquals(LiveTls.Change.UNUSABLE, tls.refresh());
        assertEquals(LiveTls.Change.NONE, tls.refresh());
        assertEquals(before, tls.server());
        assertTrue(tls.problem().isPresent());
        Files.writeString(live.key("a"), key);
        live.issue(List.of(node("a")), true);
        assertEquals(LiveTls.Change.RENEWED, tls.refresh());
        assertTrue(!before.equals(tls.server()));
        assertEquals(Optional.empty(), tls.problem());
    }
}
