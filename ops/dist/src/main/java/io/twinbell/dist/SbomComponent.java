package io.twinbell.dist;

import java.util.List;

/**
 * A library that is shipped.
 *
 * @param classifier which of the jars of one artifact, as one for each platform; null for the plain one
 * @param sha256 of its jar, in hexadecimal
 * @param licences as its POM calls them, an SPDX identifier where that is certain
 */
record SbomComponent(
        String group, String name, String version, String classifier, String sha256, List<Licence> licences) {
    /** @param id by SPDX; null where the name is all that is known */
    record Licence(String id, String name) {}

    /** By <a href="https://github.com/package-url/purl-spec">its specification</a>, qualifiers in alphabetical order. */
    String packageUrl() {
        String which = classifier == null ? "" : "classifier=" + classifier + "&";
        return "pkg:maven/" + group + "/" + name + "@" + version + "?" + which + "type=jar";
    }
}
