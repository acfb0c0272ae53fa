package io.twinbell.tools.importer.quartz.serialized;

import java.io.Serializable;

/** Replaces Quartz's class of this name, so that its serialized form can be read without Quartz's code. */
@SuppressWarnings("serial")
class DirtyFlagMap implements Serializable {
    private static final long serialVersionUID = 1433884852607126222L;

    boolean dirty;
    Object map;
}
