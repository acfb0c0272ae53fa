package io.twinbell.tools.importer.quartz.serialized;

/** Replaces the JDK's class of this name, so that no key of a serialized map is hashed. */
@SuppressWarnings("serial")
final class LinkedHashMap extends HashMap {
    private static final long serialVersionUID = 3801124242820219131L;
}
