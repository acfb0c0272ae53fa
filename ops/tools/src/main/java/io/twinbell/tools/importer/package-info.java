/** What other schedulers have, as tasks: each thing is taken over, or there is a reason why not. */
package io.twinbell.tools.importer;
