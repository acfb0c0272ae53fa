package io.twinbell.dist;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.dist.SbomComponent.Licence;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * Renders a bill of materials in CycloneDX 1.5, by <a href="https://cyclonedx.org/docs/1.5/json/">its
 * specification</a>. CycloneDX's own Maven plugin does not work offline.
 */
final class Sbom {
    private static final ObjectMapper JSON = new ObjectMapper();

    private Sbom() {}

    /** @param timestamp the timestamp of the build, equal for two builds of one commit */
    static String of(String version, Instant timestamp, List<SbomComponent> libraries) {
        SbomComponent whole = new SbomComponent(
                "io.twinbell", "twinbell", version, null, null, List.of(SpdxIds.licence("Apache-2.0", "")));
        ObjectNode bill = JSON.createObjectNode();
        bill.put("bomFormat", "CycloneDX").put("specVersion", "1.5");
        bill.put("serialNumber", "urn:uuid:" + serial(version, libraries)).put("version", 1);
        ObjectNode metadata = bill.putObject("metadata");
        metadata.put("timestamp", timestamp.toString());
        metadata.set("component", entry("application", whole));
        ArrayNode entries = bill.putArray("components");
        libraries.forEach(library -> entries.add(entry("library", library)));
        ObjectNode graph = bill.putArray("dependencies").addObject();
        graph.put("ref", whole.packageUrl());
        ArrayNode needs = graph.putArray("dependsOn");
        libraries.forEach(library -> needs.add(library.packageUrl()));
        try {
            return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(bill) + "\n";
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    private static ObjectNode entry(String type, SbomComponent component) {
        ObjectNode entry = JSON.createObjectNode();
        entry.put("type", type).put("bom-ref", component.packageUrl());
        entry.put("group", component.group()).put("name", component.name()).put("version", component.version());
        if (component.sha256() != null) {
            entry.putArray("hashes").addObject().put("alg", "SHA-256").put("content", component.sha256());
        }
        if (!component.licences().isEmpty()) {
            ArrayNode licences = entry.putArray("licenses");
            component.licences().forEach(licence -> licences.addObject().set("license", licence(licence)));
        }
        return entry.put("purl", component.packageUrl());
    }

    private static ObjectNode licence(Licence licence) {
        return licence.id() == null
                ? JSON.createObjectNode().put("name", licence.name())
                : JSON.createObjectNode().put("id", licence.id());
    }

    /** The serial number, equal for equal content. */
    private static UUID serial(String version, List<SbomComponent> libraries) {
        String content = libraries.stream()
                .map(library -> library.packageUrl() + library.sha256())
                .collect(Collectors.joining("\n", version + "\n", ""));
        return UUID.nameUUIDFromBytes(content.getBytes(StandardCharsets.UTF_8));
    }
}
