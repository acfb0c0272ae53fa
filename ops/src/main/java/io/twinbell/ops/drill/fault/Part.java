package io.twinbell.ops.drill.fault;

/** What of a pair a fault breaks. Two faults that have none in common can be in force at once. */
enum Part {
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

    static Part process(Actor actor) {
        return actor == Actor.MASTER ? MASTER : STANDBY;
    }

    static Part clock(Actor actor) {
        return actor == Actor.MASTER ? MASTER_CLOCK : STANDBY_CLOCK;
    }

    static Part wayToDatabase(Actor actor) {
        return actor == Actor.MASTER ? MASTER_TO_DATABASE : STANDBY_TO_DATABASE;
    }

    static Part wayToZooKeeper(Actor actor) {
        return actor == Actor.MASTER ? MASTER_TO_ZOOKEEPER : STANDBY_TO_ZOOKEEPER;
    }
}
