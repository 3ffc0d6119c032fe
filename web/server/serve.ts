import { existsSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendError } from '#rest/errors.ts';
import { canSell } from '#server/billing/capabilities.ts';
import type { RequestContext, Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { pageHeaders } from '#server/http/response-headers.ts';
import { readCredentials } from '#server/identity/access/credentials.ts';
import { limitAttempts } from '#server/identity/access/rate-limit.ts';
import {
  demoTenantId,
  endedVisitCookie,
  hasDemoWorkspace,
  isVisit,
  visitCookie,
} from '#server/identity/access/visits.ts';
import type { AppRouter } from '#server/router.ts';
import { basePathOf, publicAddress } from '#server/settings.ts';
import { type Build, dist, readBuild } from './build.ts';
import { serveGuides } from './guides.ts';
import { serveMailLinks } from './mail-links.ts';
import { pageLinks } from './page-words.ts';
import { type PublicPages, preferencesOf, servePublicPages, vary } from './public-pages.ts';
import { type Deployment, deploymentOf, previewPage, shellPage } from './shell.ts';
import { hasRefreshToken, refreshCookieOf, serveSignIn } from './sign-in.ts';

/**
 * The headers of the frame that shows Word files. The frame has its own policy: an opaque origin without cookies,
 * storage or network. It allows styles from the file. The script of the frame receives the file only in a message.
 */
const previewHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    'sandbox allow-scripts',
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'unsafe-inline'",
    'img-src data:',
    'font-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join('; '),
  'cache-control': 'no-cache',
};

/**
 * The policy of the worker that reads PDF files. A worker has the policy of its own response, not that of the page. It
 * allows WebAssembly, which the image decoders need and which is allowed nowhere else. The worker may connect only to
 * this origin.
 */
const workerPolicy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'";

/** The paths of the application. They all serve the same page; the script in the browser selects the screen. */
const screens = ['/signin', '/signin/sso', '/app', '/app/*', '/billing', '/jobs/:job_id'];

/** The message for a missing build, with the command that creates it. */
const notBuilt =
  'the web application is not built: run "npm run build:web" with the dev dependencies installed';

/** The routes for browsers, as far as the rest of the HTTP application uses them. */
export type WebFront = Pick<PublicPages, 'sendNotFound'>;

/**
 * Serves all routes for browsers: public pages, guides, the application with its files, and its sign-in. The OpenAPI
 * document contains none of these routes.
 * @param built the directory of the built application; if it contains no build, the paths of the application return 503
 */
export async function serveWeb(
  app: FastifyInstance,
  router: AppRouter,
  createContext: (request: FastifyRequest, reply: FastifyReply) => RequestContext,
  services: Pick<Services, 'database' | 'engine' | 'log' | 'payments' | 'secretsKeys' | 'settings'>,
  built = dist,
): Promise<WebFront> {
  const { settings, engine, payments, log } = services;
  const build = readBuild(built);
  const secure = publicAddress(settings).startsWith('https:');
  const basePath = basePathOf(settings);
  const refreshCookie = refreshCookieOf(basePath, secure);
  const deployment = deploymentOf(settings, {
    basePath,
    billing: canSell({ settings, payments }),
    liveEngine: engine.live,
    ssoProvider: settings.OIDC_ENABLED ? 'oidc' : null,
  });

  for (const url of screens)
    app.get(url, { config: { versioned: false } }, (request, reply) =>
      build ? sendShell(request, reply, build, deployment) : sendError(reply, unbuilt()),
    );

  app.get('/app/preview/word', { config: { versioned: false } }, (_request, reply) =>
    build
      ? reply.headers(previewHeaders).send(previewPage(basePath + build.wordPreview))
      : sendError(reply, unbuilt()),
  );

  function sendShell(
    request: FastifyRequest,
    reply: FastifyReply,
    files: Build,
    about: Omit<Deployment, 'demo'>,
  ) {
    // Whether the browser would have sent the cookie. Browsers send it to /signin, except when they follow a link from
    // another site.
    const wouldHaveCookie =
      request.routeOptions.url === '/signin' &&
      ['none', 'same-origin'].includes(String(request.headers['sec-fetch-site']));
    const signedOut = wouldHaveCookie && !hasRefreshToken(request, refreshCookie);
    // At the sign-in, a visitor is someone without a session.
    const isSignIn = request.url.startsWith('/signin');
    const { visit } = readCredentials(request.headers, false);
    const page = shellPage(
      files,
      { ...about, demo: !isSignIn && isVisit(visit, services) },
      {
        path: request.url.split('?')[0] as string,
        ...preferencesOf(request, secure),
        signedOut,
      },
    );
    return reply.headers(pageHeaders()).header('vary', vary).send(page);
  }

  const pages = servePublicPages(app, { settings, engine, payments, log }, build);
  app.addHook('onSend', async (request, reply, payload) =>
    reply.statusCode >= 400 && typeof payload === 'string' && wantsHtml(request)
      ? pages.withErrorPage(request, reply, payload)
      : payload,
  );
  if (settings.DEMO_WORKSPACE) serveVisits(app, createContext, pages);
  serveMailLinks(app, services, { build, ...pages });
  serveGuides(app, router, { build, address: publicAddress(settings), basePath, secure, ...pages });
  await serveAssets(app, join(built, 'static'));
  serveSignIn(app, router, createContext, refreshCookie);
  return pages;
}

/** Serves the links with which a visitor enters and leaves the demo workspace. */
function serveVisits(
  app: FastifyInstance,
  createContext: (request: FastifyRequest, reply: FastifyReply) => RequestContext,
  { sendNotFound }: WebFront,
): void {
  app.get('/demo', { config: { versioned: false } }, async (request, reply) => {
    try {
      const ctx = createContext(request, reply);
      const { database, settings } = ctx.services;
      await limitAttempts(ctx, 'visit');
      // The workers create it after the start, and an operator may have deleted it.
      if (!(await database.readInTenant(demoTenantId, hasDemoWorkspace))) return sendNotFound(request, reply);
      return reply
        .header('set-cookie', visitCookie(ctx.services))
        .header('cache-control', 'no-store')
        .redirect(`${basePathOf(settings)}/app`, 303);
    } catch (error) {
      return sendError(reply, error);
    }
  });
  app.get('/demo/leave', { config: { versioned: false } }, (request, reply) => {
    const { settings } = createContext(request, reply).services;
    const isSigningUp = (request.query as { to?: unknown }).to === 'signup';
    return reply
      .header('set-cookie', endedVisitCookie(settings))
      .header('cache-control', 'no-store')
      .redirect(basePathOf(settings) + (isSigningUp ? pageLinks.signUp : '/'), 303);
  });
}

/** Whether a person will see the response: of all clients, only a browser that opens a page or sends a form requests HTML. */
export function wantsHtml({ method, url, headers }: FastifyRequest): boolean {
  const isForm = /^(application\/x-www-form-urlencoded|multipart\/form-data)\b/i.test(
    headers['content-type'] ?? '',
  );
  return (
    (method === 'GET' || method === 'HEAD' || isForm) &&
    !/^\/(api|trpc|static)\//.test(url) &&
    (headers.accept ?? '').includes('text/html')
  );
}

function unbuilt(): AppError {
  return new AppError('capability_off', notBuilt);
}

/**
 * Serves the built files. A changed file has another name, so files may be cached forever. Compressed copies were
 * written by the build.
 */
async function serveAssets(app: FastifyInstance, root: string): Promise<void> {
  if (!existsSync(root)) {
    app.get('/static/*', { config: { versioned: false } }, (_request, reply) => sendError(reply, unbuilt()));
    return;
  }
  await app.register(fastifyStatic, {
    root,
    prefix: '/static/',
    preCompressed: true,
    immutable: true,
    maxAge: '365d',
    index: false,
    redirect: false,
    // Otherwise the package throws for a directory, which would be an internal error.
    allowedPath: (path) => !path.endsWith('/'),
    setHeaders(reply, path) {
      reply
        // The frame of the Word preview has an opaque origin, so it requests these files with CORS. The files are
        // public.
        .header('access-control-allow-origin', '*');
      if (/\bpdf\.worker\b/.test(path)) reply.header('content-security-policy', workerPolicy);
      else if (/\bspelling-worker\b/.test(path))
        reply.header('content-security-policy', "default-src 'none'; connect-src 'self'");
    },
  });
}
