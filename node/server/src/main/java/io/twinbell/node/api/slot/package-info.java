/**
 * Operations on the slots of one task outside its schedule: runs by hand, backfills, pings and explanations. The routes
 * of the API and the library's public API use the same code, so that both check and store the same.
 */
package io.twinbell.node.api.slot;
