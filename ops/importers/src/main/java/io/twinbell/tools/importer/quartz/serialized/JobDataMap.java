package io.twinbell.tools.importer.quartz.serialized;

/** Replaces Quartz's class of this name, so that its serialized form can be read without Quartz's code. */
@SuppressWarnings("serial")
final class JobDataMap extends StringKeyDirtyFlagMap {
    private static final long serialVersionUID = -6939901990106713909L;
}
