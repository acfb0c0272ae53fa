/** One attempt as the engine and every handler type see it: the call, its reports and its outcome. */
package io.twinbell.node.engine.handler;
