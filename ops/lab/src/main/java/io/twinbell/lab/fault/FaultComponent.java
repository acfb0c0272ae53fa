package io.twinbell.lab.fault;

/** The component of a pair that a fault breaks. Faults without a common component can be combined. */
public enum FaultComponent {
    MASTER,
    STANDBY,
    MASTER_CLOCK,
    STANDBY_CLOCK,
    DATABASE,
    ZOOKEEPER,
    MASTER_TO_DATABASE,
    STANDBY_TO_DATABASE,
    MASTER_TO_ZOOKEEPER,
    STANDBY_TO_ZOOKEEPER,
    BETWEEN_NODES;

    public static FaultComponent process(FaultTarget target) {
        return target == FaultTarget.MASTER ? MASTER : STANDBY;
    }

    public static FaultComponent clock(FaultTarget target) {
        return target == FaultTarget.MASTER ? MASTER_CLOCK : STANDBY_CLOCK;
    }

    public static FaultComponent wayToDatabase(FaultTarget target) {
        return target == FaultTarget.MASTER ? MASTER_TO_DATABASE : STANDBY_TO_DATABASE;
    }

    public static FaultComponent wayToZooKeeper(FaultTarget target) {
        return target == FaultTarget.MASTER ? MASTER_TO_ZOOKEEPER : STANDBY_TO_ZOOKEEPER;
    }
}
