package io.twinbell.dist;

import java.util.List;

/**
 * A library that is shipped.
 *
 * @param sha256 of its jar, in hexadecimal
 * @param licences as its POM calls them, an SPDX identifier where that is certain
 */
record Component(String group, String name, String version, String sha256, List<Licence> licences) {
    /** @param id by SPDX; null where the name is all that is known */
    record Licence(String id, String name) {}

    String packageUrl() {
        return "pkg:maven/" + group + "/" + name + "@" + version + "?type=jar";
    }
}
