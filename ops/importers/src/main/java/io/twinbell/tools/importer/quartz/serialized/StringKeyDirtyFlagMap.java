package io.twinbell.tools.importer.quartz.serialized;

/** Replaces Quartz's class of this name, so that its serialized form can be read without Quartz's code. */
@SuppressWarnings("serial")
class StringKeyDirtyFlagMap extends DirtyFlagMap {
    private static final long serialVersionUID = -9076749120524952280L;

    boolean allowsTransientData;
}
