package io.twinbell.daemon.doctor;

import io.twinbell.ha.latch.EnsembleSurvey;
import io.twinbell.ha.latch.KnownMembers;
import io.twinbell.persistence.cluster.MemberRegister;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.survey.PairFacts;

/** What stands in the ensemble, told apart by what the database knows of its nodes. */
final class EnsembleCheck {
    /** From this version of the schema on nodes seal their entries. */
    private static final int SEALED_SINCE = 28;

    private EnsembleCheck() {}

    /** Under an older schema each entry is believed, as the builds of that schema do. */
    static EnsembleSurvey.Inhabitants at(EnsembleSurvey survey, DedicatedConnection connection, PairFacts pair) {
        if (pair.schema() == null || version(pair.schema()) < SEALED_SINCE) {
            return survey.inhabitants(null);
        }
        KnownMembers members = new KnownMembers();
        MemberRegister register = new MemberRegister(connection);
        members.refresh(register);
        survey.inhabitants(members);
        // What has no seal was noted by the first look, and is looked up now.
        members.refresh(register);
        return survey.inhabitants(members);
    }

    private static int version(String schema) {
        return Integer.parseInt(schema.replaceAll("\\D.*", ""));
    }
}
