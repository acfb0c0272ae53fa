package io.twinbell.daemon.doctor;

import io.twinbell.daemon.survey.PairFacts;
import io.twinbell.ha.latch.EnsembleSurvey;
import io.twinbell.ha.latch.KnownMembers;
import io.twinbell.persistence.cluster.MemberRegister;
import io.twinbell.persistence.database.DedicatedConnection;

/** Examines the nodes in the ensemble and uses the database to tell which of them belong to this pair. */
final class EnsembleCheck {
    /** Nodes seal their entries from this schema version on. */
    private static final int SEALED_SINCE = 28;

    private EnsembleCheck() {}

    /**
     * Returns the content of the cluster's folders. Under an older schema every entry is believed, as by the builds of
     * that schema.
     */
    static EnsembleSurvey.TreeContents at(EnsembleSurvey survey, DedicatedConnection connection, PairFacts pair) {
        if (pair.schema() == null || version(pair.schema()) < SEALED_SINCE) {
            return survey.inhabitants(null);
        }
        KnownMembers members = new KnownMembers();
        MemberRegister register = new MemberRegister(connection);
        members.refresh(register);
        survey.inhabitants(members);
        // The first look noted the entries without a seal; this refresh looks them up.
        members.refresh(register);
        return survey.inhabitants(members);
    }

    private static int version(String schema) {
        return Integer.parseInt(schema.replaceAll("\\D.*", ""));
    }
}
