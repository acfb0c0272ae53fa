/** TLS keys, certificates and authorities: reads them from files, and again when the files change. */
package io.twinbell.node.tls;
