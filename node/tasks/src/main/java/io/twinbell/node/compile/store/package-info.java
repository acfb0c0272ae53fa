/** Changes that applications made by SQL, and slots that they skipped by moving a fire time. */
package io.twinbell.node.compile.store;
