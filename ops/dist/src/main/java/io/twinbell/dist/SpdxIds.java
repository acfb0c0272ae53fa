package io.twinbell.dist;

import io.twinbell.dist.SbomComponent.Licence;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Map.Entry;

/** Finds the SPDX identifier of a licence, if the POM leaves no doubt. */
final class SpdxIds {
    /** Each identifier by a part of the name or URL, in lower case. The first match counts. */
    private static final List<Entry<String, String>> BY_PART = List.of(
            Map.entry("apache.org/licenses/license-2.0", "Apache-2.0"),
            Map.entry("apache-2.0", "Apache-2.0"),
            Map.entry("apache license, version 2.0", "Apache-2.0"),
            Map.entry("apache license 2.0", "Apache-2.0"),
            Map.entry("epl-2.0", "EPL-2.0"),
            Map.entry("epl-v20", "EPL-2.0"),
            Map.entry("eclipse public license - v 2.0", "EPL-2.0"),
            Map.entry("epl-1.0", "EPL-1.0"),
            Map.entry("epl-v10", "EPL-1.0"),
            Map.entry("eclipse public license - v 1.0", "EPL-1.0"),
            Map.entry("lgpl-2.1", "LGPL-2.1-only"),
            Map.entry("gpl2 w/ cpe", "GPL-2.0-with-classpath-exception"),
            Map.entry("bsd-2-clause", "BSD-2-Clause"),
            Map.entry("bsd-3-clause", "BSD-3-Clause"),
            Map.entry("opensource.org/licenses/mit", "MIT"),
            Map.entry("opensource.org/license/mit", "MIT"),
            Map.entry("freebsd license", "BSD-2-Clause"),
            Map.entry("creativecommons.org/publicdomain/zero/1.0", "CC0-1.0"),
            Map.entry("mit license", "MIT"),
            Map.entry("mit-0", "MIT-0"));

    private SpdxIds() {}

    static Licence licence(String name, String url) {
        String said = (name + " " + url).toLowerCase(Locale.ROOT);
        String id = BY_PART.stream()
                .filter(entry -> said.contains(entry.getKey()))
                .map(Entry::getValue)
                .findFirst()
                .orElse(null);
        return new Licence(id, name.isEmpty() ? url : name);
    }
}
