/** One attempt as every handler type sees it: the call, its reports and its outcome. */
package io.twinbell.node.handler.call;
