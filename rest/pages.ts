import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';

/** The style sheet of all pages, allowed by its hash. */
const style =
  'body{max-width:42rem;margin:3rem auto;padding:0 1rem;font:1rem/1.5 sans-serif}pre{padding:1rem;background:#eee;white-space:pre-wrap}';

/** Allows only the style sheet above: no script, no form, nothing from another origin. */
const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  // The web app will replace these pages at the same addresses.
  'cache-control': 'no-cache',
};

/**
 * Serves the pages for browsers until there is a web app: what the service is, and what to do with a password reset
 * link. Such a link carries its token in the fragment, which browsers do not send, so the page cannot fill it in and no
 * log can contain it.
 * @param address the service's public address
 * @param live whether a model is connected
 */
export function servePages(app: FastifyInstance, address: string, { live }: { live: boolean }): void {
  const pages = { '/': startPage(live), '/signin': signInPage(escaped(address)) };
  for (const [url, page] of Object.entries(pages))
    app.get(url, async (_request, reply) => reply.headers(headers).send(page));
}

function startPage(live: boolean): string {
  const engine = live
    ? ''
    : `<p><strong>No model is connected:</strong> OPENAI_API_KEY is not set, and the stub engine answers. It repeats each
      text behind the code of its target language, and translates nothing.</p>`;
  return pageOf(
    'LinguaLoop',
    `<p>This is LinguaLoop, a translation service with an HTTP API.</p>
    ${engine}
    <ul>
      <li><a href="/docs">/docs</a>: every operation of the API</li>
      <li><a href="/openapi.json">/openapi.json</a>: the same for programs</li>
      <li><a href="/healthz">/healthz</a>: whether it is well</li>
    </ul>`,
  );
}

function signInPage(address: string): string {
  return pageOf(
    'Set a new password',
    `<p>You have followed a link that sets a new password. This version of LinguaLoop has no web page for that yet; it takes
      one command.</p>
    <ol>
      <li>Look at the address of this page. Copy all that follows <code>#reset_token=</code>.</li>
      <li>Put it and a new password of 8 characters or more into this command, and run it in a terminal:
        <pre>curl -X POST ${address}/api/auth/password-reset \\
  -H 'Content-Type: application/json' \\
  -d '{"reset_token": "THE TOKEN", "new_password": "THE NEW PASSWORD"}'</pre></li>
      <li>Sign in with the new password. All other sessions of yours have ended.</li>
    </ol>
    <p>A link is good once, and for a limited time; an administrator of your workspace can issue another. Show it to nobody:
      who has it can set your password.</p>
    <p>To sign in otherwise, see <a href="/docs">the API's operations</a>, under Sign-in.</p>`,
  );
}

function pageOf(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title}</title>
    <style>${style}</style>
  </head>
  <body>
    <h1>${title}</h1>
    ${content}
  </body>
</html>
`;
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
