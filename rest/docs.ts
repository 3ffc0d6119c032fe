import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { AppRouter } from '#server/router.ts';

const { resolve } = createRequire(import.meta.url);

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>LinguaLoop API</title>
    <link rel="icon" href="/docs/favicon-32x32.png">
    <link rel="stylesheet" href="/docs/swagger-ui.css">
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

/**
 * For reading only: the document declares no security, so the page has nowhere to enter a credential, and a
 * call sent from it could only fail or found a workspace by accident. No badge either: it asks another host.
 */
const start = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  supportedSubmitMethods: [],
  validatorUrl: null,
});
`;

/** What the page loads of Swagger UI, from the copy that @fastify/swagger-ui carries. */
const files = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};

/** Everything from here, nothing inline; its style sheet carries its pictures in itself. */
const contentSecurityPolicy = [
  "default-src 'self'",
  "img-src 'self' data:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * GET /openapi.json and GET /docs, which renders it (A 1 rule 6). Nothing is read or built before the first
 * request for it: the generator alone takes longer to import than this door to open.
 */
export function serveDocs(app: FastifyInstance, router: AppRouter): void {
  let document: Promise<string> | undefined;
  app.get('/openapi.json', { config: { versioned: true } }, async (_request, reply) => {
    document ??= serializeDocument(router).catch((error) => {
      document = undefined;
      throw error;
    });
    return reply.header('content-type', 'application/json; charset=utf-8').send(await document);
  });

  // Fastify's own plugin would do it too; it takes 45 ms to start, asks for @fastify/swagger, and answers the
  // document at two more addresses.
  for (const url of ['/docs', '/docs/'])
    app.get(url, async (_request, reply) => sendPart(reply, 'text/html; charset=utf-8', page));
  app.get('/docs/start.js', async (_request, reply) => sendPart(reply, files['swagger-ui-bundle.js'], start));
  for (const [name, type] of Object.entries(files))
    app.get(`/docs/${name}`, async (_request, reply) => {
      const content = await readFile(resolve(`@fastify/swagger-ui/static/${name}`));
      reply.header('cache-control', 'public, max-age=3600');
      return sendPart(reply, type, content);
    });
}

async function serializeDocument(router: AppRouter): Promise<string> {
  const { buildOpenApiDocument } = await import('./openapi.ts');
  return JSON.stringify(buildOpenApiDocument(router));
}

function sendPart(reply: FastifyReply, type: string, content: string | Buffer): FastifyReply {
  return reply
    .header('content-type', type)
    .header('content-security-policy', contentSecurityPolicy)
    .header('x-content-type-options', 'nosniff')
    .send(content);
}
