package io.twinbell.tools.importer.quartz.serialized;

import java.io.Serializable;

/** Stands in for Quartz's class of that name, so that its serialized form can be read without Quartz and its code. */
@SuppressWarnings("serial")
class DirtyFlagMap implements Serializable {
    private static final long serialVersionUID = 1433884852607126222L;

    boolean dirty;
    Object map;
}
