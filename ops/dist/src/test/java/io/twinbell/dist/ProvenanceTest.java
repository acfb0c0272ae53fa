package io.twinbell.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ProvenanceTest {
    private static final SbomComponent LIBRARY = new SbomComponent("g", "a", "1", null, "5678", List.of());

    private static JsonNode statement(String sourceUri) throws IOException {
        return new ObjectMapper()
                .readTree(new ProvenanceStatement(
                                Map.of("t.tar.gz", "1234"), "c0ffee", sourceUri, "urn:b", Map.of(), List.of(LIBRARY))
                        .json());
    }

    @Test
    void it_names_each_file_the_commit_and_each_library_with_digests() throws IOException {
        JsonNode statement = statement("git+https://example.com/twinbell");
        assertEquals("https://in-toto.io/Statement/v1", statement.get("_type").textValue());
        assertEquals(
                "https://slsa.dev/provenance/v1", statement.get("predicateType").textValue());
        assertEquals("t.tar.gz", statement.at("/subject/0/name").textValue());
        assertEquals("1234", statement.at("/subject/0/digest/sha256").textValue());
        JsonNode dependencies = statement.at("/predicate/buildDefinition/resolvedDependencies");
        assertEquals("c0ffee", dependencies.at("/0/digest/gitCommit").textValue());
        assertEquals(
                "git+https://example.com/twinbell", dependencies.at("/0/uri").textValue());
        assertEquals("pkg:maven/g/a@1?type=jar", dependencies.at("/1/uri").textValue());
        assertEquals("5678", dependencies.at("/1/digest/sha256").textValue());
        assertEquals("urn:b", statement.at("/predicate/runDetails/builder/id").textValue());
    }

    @Test
    void a_source_without_a_uri_is_named_by_its_commit_alone() throws IOException {
        assertFalse(statement("")
                .at("/predicate/buildDefinition/resolvedDependencies/0")
                .has("uri"));
    }

    @Test
    void a_source_with_uncommitted_changes_has_no_provenance() {
        assertEquals("c0ffee", Provenance.commit("c0ffee\n", ""));
        String refusal = assertThrows(
                        IllegalArgumentException.class, () -> Provenance.commit("c0ffee\n", " M pom.xml\n?? new\n"))
                .getMessage();
        assertTrue(refusal.endsWith("commit or remove M pom.xml"), refusal);
    }

    @Test
    void a_builder_that_is_no_absolute_uri_is_refused() {
        assertThrows(IllegalArgumentException.class, () -> Provenance.uri("provenance.builder", "laptop"));
        assertThrows(IllegalArgumentException.class, () -> Provenance.uri("provenance.builder", ""));
    }
}
