"""A receiver of Twinbell's calls: each slot takes effect once. Needs psycopg2 and the tables of tables.sql.

    DATABASE=postgresql://shop@127.0.0.1/shop SECRET=... PORT=9000 python3 receiver.py

It verifies Twinbell's own signatures, and those of Standard Webhooks if the secret begins with whsec_.
"""

import base64
import hashlib
import hmac
import os
import time
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import psycopg2

DATABASE = os.environ["DATABASE"]
SECRET = os.environ["SECRET"].encode()
WEBHOOK_KEY = base64.b64decode(SECRET[6:], validate=True) if SECRET.startswith(b"whsec_") else None
SOURCE = "twinbell"


class Refused(Exception):
    def __init__(self, status, reason):
        super().__init__(reason)
        self.status = status


def check_signature(headers, body):
    if "webhook-signature" in headers:
        stamp = headers.get("webhook-timestamp", "")
        is_genuine = is_standard(headers, stamp, body)
    else:
        stamp = headers.get("Twinbell-Timestamp", "")
        genuine = "v1=" + hmac.new(SECRET, stamp.encode() + b"." + body, hashlib.sha256).hexdigest()
        is_genuine = are_equal(genuine, headers.get("Twinbell-Signature", ""))
    if not is_genuine:
        raise Refused(401, "the signature is missing or wrong")
    if abs(time.time() - int(stamp)) > 300:
        raise Refused(401, "the signature is too old")


def is_standard(headers, stamp, body):
    """The header has one signature or several, separated by spaces."""
    if WEBHOOK_KEY is None:
        return False
    call_id = headers.get("webhook-id", "")
    signed = call_id.encode() + b"." + stamp.encode() + b"." + body
    genuine = "v1," + base64.b64encode(hmac.new(WEBHOOK_KEY, signed, hashlib.sha256).digest()).decode()
    given = headers["webhook-signature"].split(" ")[:20]
    return any([are_equal(genuine, each) for each in given]) and belongs(call_id, headers.get("Idempotency-Key"))


def belongs(call_id, key):
    """The key itself is not signed, but the id is: task-milliseconds for the key task/instant."""
    if key is None or "/" not in key:
        return call_id == key
    task, instant = key.split("/", 1)
    try:
        fire = datetime.fromisoformat(instant.replace("Z", "+00:00"))
    except ValueError:
        return False
    since_1970 = fire.astimezone(timezone.utc) - datetime(1970, 1, 1, tzinfo=timezone.utc)
    return call_id == f"{task}-{since_1970 // timedelta(milliseconds=1)}"


def are_equal(genuine, given):
    return hmac.compare_digest(genuine.encode(), given.encode("utf-8", "surrogateescape"))


def raise_epoch(connection, epoch):
    """In a transaction of its own: no call waits for the work of another."""
    with connection, connection.cursor() as cursor:
        cursor.execute(
            "insert into twinbell_receiver_epoch as known (source, epoch) values (%s, %s)"
            " on conflict (source) do update set epoch = excluded.epoch where known.epoch < excluded.epoch",
            (SOURCE, epoch),
        )


def refuse_if_over(cursor, epoch):
    """The lock keeps a later epoch out until this transaction ends."""
    cursor.execute("select epoch from twinbell_receiver_epoch where source = %s for share", (SOURCE,))
    if epoch < cursor.fetchone()[0]:
        raise Refused(409, "a later master has called")


def receive(key, attempt, epoch, effect):
    connection = psycopg2.connect(DATABASE)
    try:
        raise_epoch(connection, epoch)
        with connection, connection.cursor() as cursor:
            cursor.execute(
                "insert into twinbell_receiver_call (source, call_key, attempt, epoch, received_at)"
                " values (%s, %s, %s, %s, now()) on conflict do nothing",
                (SOURCE, key, attempt, epoch),
            )
            is_new = cursor.rowcount == 1
            answer = None
            if is_new:
                answer = effect(cursor)
                cursor.execute(
                    "update twinbell_receiver_call set status = 200, content_type = 'text/plain', body = %s"
                    " where source = %s and call_key = %s",
                    (answer, SOURCE, key),
                )
            refuse_if_over(cursor, epoch)
            if not is_new:
                cursor.execute(
                    "select body from twinbell_receiver_call where source = %s and call_key = %s", (SOURCE, key)
                )
                answer = bytes(cursor.fetchone()[0])
            return answer
    finally:
        connection.close()


def close_invoice(cursor, key):
    """What the call is for. It shares its transaction with the memory of the call."""
    cursor.execute("insert into effect values (%s)", (key,))
    return b"closed " + key.encode()


class Server(ThreadingHTTPServer):
    # The default, 5, breaks connections when many calls come at one instant.
    request_queue_size = 128


class Calls(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        try:
            check_signature(self.headers, body)
            key = self.headers["Idempotency-Key"]
            if not key:
                raise ValueError("Idempotency-Key")
            attempt = int(self.headers["Twinbell-Attempt"])
            epoch = int(self.headers["Twinbell-Epoch"])
            self.answer(200, receive(key, attempt, epoch, lambda cursor: close_invoice(cursor, key)))
        except Refused as refused:
            self.answer(refused.status, str(refused).encode())
        except (KeyError, TypeError, ValueError):
            self.answer(400, b"a header of the call is missing or malformed")

    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    server = Server(("127.0.0.1", int(os.environ.get("PORT", "9000"))), Calls)
    print("listening on", server.server_port, flush=True)
    server.serve_forever()
