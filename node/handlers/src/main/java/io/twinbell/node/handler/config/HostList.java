package io.twinbell.node.handler.config;

import java.net.IDN;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * A list of hosts in the configuration.
 *
 * @param names in lower case and ASCII; {@code *.domain} for all names below a domain
 * @param ranges addresses and address ranges
 */
public record HostList(List<String> names, List<AddressRange> ranges) {
    public static final HostList EMPTY = new HostList(List.of(), List.of());

    private static final Pattern NAME = Pattern.compile("(\\*\\.)?([a-z0-9_-]+\\.)*[a-z0-9_-]*[a-z_-][a-z0-9_-]*");

    /**
     * Parses entries separated by commas.
     *
     * @param bad receives each invalid entry
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

    /** Creates a list from entries that are known to be valid. */
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

    /** Whether the list contains a host as written in a URL; an address may be in a range. */
    public boolean names(String host) {
        String name = host.toLowerCase(Locale.ROOT);
        String bare = name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
        return names.stream()
                        .anyMatch(entry ->
                                entry.startsWith("*.") ? bare.endsWith(entry.substring(1)) : bare.equals(entry))
                || AddressRange.literal(bare).filter(this::covers).isPresent();
    }

    /** Whether a range contains the address, or the IPv4 address that it reaches. */
    public boolean covers(InetAddress address) {
        InetAddress reached = AddressRange.reached(address);
        return ranges.stream().anyMatch(range -> range.contains(address) || range.contains(reached));
    }
}
