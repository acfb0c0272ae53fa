package io.twinbell.tools.importer.quartz.serialized;

/** Stands in for Quartz's class of that name, so that its serialized form can be read without Quartz and its code. */
@SuppressWarnings("serial")
class StringKeyDirtyFlagMap extends DirtyFlagMap {
    private static final long serialVersionUID = -9076749120524952280L;

    boolean allowsTransientData;
}
