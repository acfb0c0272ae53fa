package io.twinbell.ops.drill.fault;

import io.twinbell.ops.client.NodeException;
import io.twinbell.ops.drill.own.OwnPair;
import io.twinbell.ops.drill.stage.DrillException;
import io.twinbell.ops.drill.stage.Stage;
import java.io.IOException;

/** A fault that is done to a pair which the drill has started. */
abstract class OwnFault extends Fault {
    OwnFault(String name, String description, Aftermath aftermath) {
        super(name, description, aftermath);
    }

    @Override
    public Venue venue() {
        return Venue.OWN;
    }

    @Override
    public final void strike(Stage stage) throws DrillException, NodeException, IOException {
        strike(stage, pair(stage));
    }

    @Override
    public final void heal(Stage stage) throws DrillException, NodeException, IOException {
        heal(stage, pair(stage));
    }

    final OwnPair pair(Stage stage) throws DrillException.Refused {
        if (stage.pair() instanceof OwnPair pair) {
            return pair;
        }
        throw new DrillException.Refused(name() + " is only done to " + venue().words());
    }

    abstract void strike(Stage stage, OwnPair pair) throws DrillException, NodeException, IOException;

    abstract void heal(Stage stage, OwnPair pair) throws DrillException, NodeException, IOException;
}
