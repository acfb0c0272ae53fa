/** What can be found out about a database from outside, before a node uses it or while one does; nothing here is needed to run. */
package io.twinbell.persistence.survey;
