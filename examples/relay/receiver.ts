/**
 * Receives webhooks of the relay, and checks their signatures:
 *
 *   WEBHOOK_SECRET=whsec_... node examples/relay/receiver.ts
 *
 * It listens on port 3000, or on PORT. A real receiver stores the IDs of the last days, because an event may arrive twice.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { verifyWebhook, WebhookError } from '#sdk/index.ts';

const { WEBHOOK_SECRET = '', PORT = '3000' } = process.env;
if (WEBHOOK_SECRET === '') throw new Error('WEBHOOK_SECRET must be set');
const seen = new Set<string>();

async function receive(request: IncomingMessage, response: ServerResponse) {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) if (body.length < 100_000) body += chunk;
  try {
    const { id, ...event } = await verifyWebhook({ headers: request.headers, body }, WEBHOOK_SECRET);
    if (!seen.has(id)) console.log(event);
    seen.add(id);
    return response.writeHead(204).end();
  } catch (error) {
    if (error instanceof WebhookError) return response.writeHead(401).end();
    throw error;
  }
}

const server = createServer((request, response) => {
  // A connection that breaks during the body must not end the program.
  receive(request, response).catch(() => response.destroy());
});
server.listen(Number(PORT), '127.0.0.1', () => console.log('listening'));
