package io.twinbell.tools.importer.quartz.serialized;

/** Stands in for the JDK's class of that name, so that nothing of a serialized map is hashed. */
@SuppressWarnings("serial")
final class LinkedHashMap extends HashMap {
    private static final long serialVersionUID = 3801124242820219131L;
}
