// A receiver of Twinbell's calls: each slot takes effect once. Needs the package "pg" and the tables of tables.sql.
//
//     DATABASE=postgresql://shop@127.0.0.1/shop SECRET=... PORT=9000 node receiver.mjs
//
// It verifies Twinbell's own signatures, and those of Standard Webhooks if the secret begins with whsec_.

import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import pg from 'pg';

const pool = new pg.Pool({ connectionString: process.env.DATABASE });
const secret = process.env.SECRET;
const webhookKey = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : null;
const source = 'twinbell';

class Refused extends Error {
  constructor(status, reason) {
    super(reason);
    this.status = status;
  }
}

function checkSignature(headers, body) {
  const isStandard = headers['webhook-signature'] !== undefined;
  const stamp = headers[isStandard ? 'webhook-timestamp' : 'twinbell-timestamp'] ?? '';
  if (!(isStandard ? isStandardSignature(headers, stamp, body) : isOwnSignature(headers, stamp, body))) {
    throw new Refused(401, 'the signature is missing or wrong');
  }
  if (!(Math.abs(Date.now() / 1000 - Number(stamp)) <= 300)) {
    throw new Refused(401, 'the signature is too old');
  }
}

function isOwnSignature(headers, stamp, body) {
  const genuine = 'v1=' + createHmac('sha256', secret).update(stamp + '.').update(body).digest('hex');
  return areEqual(genuine, headers['twinbell-signature'] ?? '');
}

// The header has one signature or several, separated by spaces.
function isStandardSignature(headers, stamp, body) {
  if (webhookKey === null) {
    return false;
  }
  const id = headers['webhook-id'] ?? '';
  const genuine = 'v1,' + createHmac('sha256', webhookKey).update(`${id}.${stamp}.`).update(body).digest('base64');
  const given = headers['webhook-signature'].split(' ').slice(0, 20);
  return given.filter((each) => areEqual(genuine, each)).length > 0 && belongs(id, headers['idempotency-key']);
}

// The key itself is not signed, but the id is: task-milliseconds for the key task/instant.
function belongs(id, key) {
  const slash = (key ?? '').indexOf('/');
  return id === (slash < 0 ? key : `${key.slice(0, slash)}-${Date.parse(key.slice(slash + 1))}`);
}

function areEqual(genuine, given) {
  const expected = Buffer.from(genuine);
  const actual = Buffer.from(given);
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}

function callOf(headers) {
  const key = headers['idempotency-key'];
  const attempt = Number(headers['twinbell-attempt']);
  const epoch = headers['twinbell-epoch'];
  if (!key || !Number.isInteger(attempt) || !/^\d{1,18}$/.test(epoch ?? '')) {
    throw new Refused(400, 'a header of the call is missing or malformed');
  }
  return { key, attempt, epoch: BigInt(epoch) };
}

async function receive(call, effect) {
  const client = await pool.connect();
  try {
    // In a transaction of its own: no call waits for the work of another.
    await client.query(
      'insert into twinbell_receiver_epoch as known (source, epoch) values ($1, $2)' +
        ' on conflict (source) do update set epoch = excluded.epoch where known.epoch < excluded.epoch',
      [source, call.epoch],
    );
    await client.query('begin');
    const entered = await client.query(
      'insert into twinbell_receiver_call (source, call_key, attempt, epoch, received_at)' +
        ' values ($1, $2, $3, $4, now()) on conflict do nothing',
      [source, call.key, call.attempt, call.epoch],
    );
    const isNew = entered.rowCount === 1;
    let answer;
    if (isNew) {
      answer = Buffer.from(await effect(client));
      await client.query(
        "update twinbell_receiver_call set status = 200, content_type = 'text/plain', body = $1" +
          ' where source = $2 and call_key = $3',
        [answer, source, call.key],
      );
    }
    // The lock keeps a later epoch out until this transaction ends.
    const greatest = await client.query(
      'select epoch from twinbell_receiver_epoch where source = $1 for share',
      [source],
    );
    if (call.epoch < BigInt(greatest.rows[0].epoch)) {
      throw new Refused(409, 'a later master has called');
    }
    if (!isNew) {
      const known = await client.query(
        'select body from twinbell_receiver_call where source = $1 and call_key = $2',
        [source, call.key],
      );
      answer = known.rows[0].body;
    }
    await client.query('commit');
    return answer;
  } catch (failure) {
    await client.query('rollback');
    throw failure;
  } finally {
    client.release();
  }
}

// What the call is for. It shares its transaction with the memory of the call.
async function closeInvoice(client, key) {
  await client.query('insert into effect values ($1)', [key]);
  return 'closed ' + key;
}

const server = createServer(async (request, response) => {
  try {
    const parts = [];
    for await (const part of request) {
      parts.push(part);
    }
    checkSignature(request.headers, Buffer.concat(parts));
    const call = callOf(request.headers);
    response.end(await receive(call, (client) => closeInvoice(client, call.key)));
  } catch (failure) {
    response.writeHead(failure.status ?? 500);
    response.end(failure.message);
  }
});
server.listen(Number(process.env.PORT ?? 9000), '127.0.0.1', () => {
  console.log('listening on', server.address().port);
});
