package io.twinbell.node.config;

import java.net.IDN;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * Hosts, as a list in the configuration names them.
 *
 * @param names in lower case and ASCII; {@code *.domain} for everything below a domain
 * @param ranges addresses and ranges of them
 */
public record HostList(List<String> names, List<AddressRange> ranges) {
    public static final HostList EMPTY = new HostList(List.of(), List.of());

    private static final Pattern NAME = Pattern.compile("(\\*\\.)?([a-z0-9_-]+\\.)*[a-z0-9_-]*[a-z_-][a-z0-9_-]*");

    /**
     * Reads entries that are separated by commas.
     *
     * @param bad is given each entry that is none
     */
    public static HostList parse(String entries, Consumer<String> bad) {
        List<String> names = new ArrayList<>();
        List<AddressRange> ranges = new ArrayList<>();
        for (String entry : entries.split(",")) {
            String text = entry.strip();
            if (!text.isEmpty()) {
                AddressRange.parse(text).ifPresentOrElse(ranges::add, () -> {
                    String name = ascii(text);
                    if (NAME.matcher(name).matches()) {
                        names.add(name);
                    } else {
                        bad.accept(text);
                    }
                });
            }
        }
        return new HostList(List.copyOf(names), List.copyOf(ranges));
    }

    /** The same, of entries that are known to be good. */
    public static HostList of(String... entries) {
        return parse(String.join(",", entries), entry -> {
            throw new IllegalArgumentException(entry);
        });
    }

    private static String ascii(String text) {
        String wildcard = text.startsWith("*.") ? "*." : "";
        try {
            String name =
                    wildcard + IDN.toASCII(text.substring(wildcard.length())).toLowerCase(Locale.ROOT);
            return name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
        } catch (IllegalArgumentException e) {
            return text;
        }
    }

    public boolean isEmpty() {
        return names.isEmpty() && ranges.isEmpty();
    }

    /** Whether a host, as a URL writes it, is named; an address also by its range. */
    public boolean names(String host) {
        String name = host.toLowerCase(Locale.ROOT);
        String bare = name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
        return names.stream()
                        .anyMatch(entry ->
                                entry.startsWith("*.") ? bare.endsWith(entry.substring(1)) : bare.equals(entry))
                || AddressRange.literal(bare).filter(this::covers).isPresent();
    }

    /** Whether an address, or the IPv4 address that it leads to, is in a range. */
    public boolean covers(InetAddress address) {
        InetAddress reached = AddressRange.reached(address);
        return ranges.stream().anyMatch(range -> range.contains(address) || range.contains(reached));
    }
}
