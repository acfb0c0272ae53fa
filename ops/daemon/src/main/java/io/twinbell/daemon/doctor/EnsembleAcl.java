package io.twinbell.daemon.doctor;

import io.twinbell.ha.latch.EnsembleSurvey;
import io.twinbell.node.config.NodeConfig;

/** Gives the cluster's folder in ZooKeeper the access list of the configuration, which names the pair alone. */
public final class EnsembleAcl {
    private EnsembleAcl() {}

    /**
     * @return how many nodes of ZooKeeper got the access list
     * @throws IllegalStateException if the configuration names nobody who may have access, or if ZooKeeper does not
     *     answer or refuses
     */
    public static int apply(NodeConfig config) {
        if (!config.zooKeeper().access().isClosed()) {
            throw new IllegalStateException("set zookeeper.user and zookeeper.password, or zookeeper.acl, on both nodes"
                    + " first: they name who may use the folder");
        }
        try (EnsembleSurvey survey = Doctor.ensemble(config)) {
            if (!survey.connect()) {
                throw new IllegalStateException(
                        "ZooKeeper at " + config.zooKeeper().connect() + " grants no session");
            }
            return survey.applyAcl();
        }
    }
}
