/** TLS keys, certificates and authorities read from files, also again when the files change. */
package io.twinbell.ops.tls;
