/**
 * Receives webhooks of the relay, and checks their signatures:
 *
 *   WEBHOOK_SECRET=whsec_... node examples/relay/receiver.ts
 *
 * It listens on port 3000, or on PORT. A real receiver stores the IDs of the last days, because an event may arrive twice.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

const { WEBHOOK_SECRET = '', PORT = '3000' } = process.env;
const key = Buffer.from(WEBHOOK_SECRET.replace(/^whsec_/, ''), 'base64');
if (key.length < 24) throw new Error('WEBHOOK_SECRET must be set');
const seen = new Set<string>();

async function receive(request: IncomingMessage, response: ServerResponse) {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) if (body.length < 100_000) body += chunk;
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
    String(request.headers[`webhook-${name}`]),
  ) as [string, string, string];
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest();
  const isSigned = signatures.split(' ').some((signature) => {
    const sent = Buffer.from(signature.replace(/^v1,/, ''), 'base64');
    return sent.length === expected.length && timingSafeEqual(sent, expected);
  });
  // An old request may be a copy that someone sends again.
  const isRecent = Math.abs(Date.now() / 1000 - Number(timestamp)) < 300;
  if (!isSigned || !isRecent) return response.writeHead(401).end();
  if (!seen.has(id)) console.log(JSON.parse(body));
  seen.add(id);
  return response.writeHead(204).end();
}

const server = createServer((request, response) => {
  // A connection that breaks during the body must not end the program.
  receive(request, response).catch(() => response.destroy());
});
server.listen(Number(PORT), '127.0.0.1', () => console.log('listening'));
