/**
 * What a fault works with: the pair with its processes and servers, the roles when the round began, and a stack of
 * repairs that is run however the round ends.
 */
package io.twinbell.tools.drill.stage;
