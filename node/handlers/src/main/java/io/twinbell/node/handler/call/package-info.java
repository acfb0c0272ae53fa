/** What calls of an application's own code share: the context that the code is given, and its class loader. */
package io.twinbell.node.handler.call;
