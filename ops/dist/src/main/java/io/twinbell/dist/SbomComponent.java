package io.twinbell.dist;

import java.util.List;

/**
 * A shipped library.
 *
 * @param classifier distinguishes several jars of one artifact, such as one per platform; null for the plain jar
 * @param sha256 the SHA-256 of its jar, in hexadecimal
 * @param licences the licences of its POM, with an SPDX identifier where that is certain
 */
record SbomComponent(
        String group, String name, String version, String classifier, String sha256, List<Licence> licences) {
    /** @param id the SPDX identifier; null if only the name is known */
    record Licence(String id, String name) {}

    /**
     * The package URL by <a href="https://github.com/package-url/purl-spec">its specification</a>, with qualifiers in
     * alphabetical order.
     */
    String packageUrl() {
        String which = classifier == null ? "" : "classifier=" + classifier + "&";
        return "pkg:maven/" + group + "/" + name + "@" + version + "?" + which + "type=jar";
    }
}
