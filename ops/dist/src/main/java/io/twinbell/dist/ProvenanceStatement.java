package io.twinbell.dist;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;

/**
 * Renders from what the published files were built, as an in-toto statement with a
 * <a href="https://slsa.dev/spec/v1.0/provenance">SLSA provenance</a> predicate.
 *
 * @param files the published files: name and SHA-256, in the order of the statement
 * @param commit the commit that was built
 * @param sourceUri where the commit can be fetched; empty if that is not stated
 * @param builder a URI that names the machine or service that built the files
 * @param tools the versions of Java and of the operating system
 * @param libraries the libraries in the packages
 */
record ProvenanceStatement(
        Map<String, String> files,
        String commit,
        String sourceUri,
        String builder,
        Map<String, String> tools,
        List<SbomComponent> libraries) {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String BUILD_TYPE = "urn:twinbell:build:maven:v1";

    String json() {
        ObjectNode statement = JSON.createObjectNode().put("_type", "https://in-toto.io/Statement/v1");
        ArrayNode subjects = statement.putArray("subject");
        files.forEach((name, sha256) -> {
            ObjectNode subject = subjects.addObject().put("name", name);
            subject.putObject("digest").put("sha256", sha256);
        });
        statement.put("predicateType", "https://slsa.dev/provenance/v1");
        ObjectNode predicate = statement.putObject("predicate");
        ObjectNode build = predicate.putObject("buildDefinition").put("buildType", BUILD_TYPE);
        build.putObject("externalParameters").put("commit", commit).put("command", "./mvnw package");
        ObjectNode internal = build.putObject("internalParameters");
        tools.forEach(internal::put);
        ArrayNode dependencies = build.putArray("resolvedDependencies");
        ObjectNode source = dependencies.addObject().put("name", "source");
        if (!sourceUri.isEmpty()) {
            source.put("uri", sourceUri);
        }
        source.putObject("digest").put("gitCommit", commit);
        for (SbomComponent library : libraries) {
            ObjectNode dependency = dependencies.addObject().put("uri", library.packageUrl());
            dependency.putObject("digest").put("sha256", library.sha256());
        }
        predicate.putObject("runDetails").putObject("builder").put("id", builder);
        try {
            return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(statement) + "\n";
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }
}
