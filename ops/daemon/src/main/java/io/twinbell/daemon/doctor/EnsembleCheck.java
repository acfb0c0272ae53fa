package io.twinbell.daemon.doctor;

import io.twinbell.daemon.survey.PairFacts;
import io.twinbell.ha.latch.EnsembleSurvey;
import io.twinbell.ha.latch.KnownMembers;
import io.twinbell.persistence.cluster.MemberRegister;
import io.twinbell.persistence.database.DedicatedConnection;

/** Examines the nodes in the ensemble and uses the database to tell which of them belong to this pair. */
final class EnsembleCheck {
    private EnsembleCheck() {}

    /** Returns the content of the cluster's folders. A database without the schema has no nodes, and no entry is believed. */
    static EnsembleSurvey.TreeContents at(EnsembleSurvey survey, DedicatedConnection connection, PairFacts pair) {
        KnownMembers members = new KnownMembers();
        if (pair.schema() != null) {
            members.refresh(new MemberRegister(connection));
        }
        return survey.inhabitants(members);
    }
}
