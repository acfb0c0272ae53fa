package io.twinbell.tools.importer.quartz.serialized;

/** Stands in for Quartz's class of that name, so that its serialized form can be read without Quartz and its code. */
@SuppressWarnings("serial")
final class JobDataMap extends StringKeyDirtyFlagMap {
    private static final long serialVersionUID = -6939901990106713909L;
}
