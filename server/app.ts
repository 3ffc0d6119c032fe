import { setImmediate } from 'node:timers/promises';
import fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Database } from '#db/client.ts';
import { serveRest } from '#rest/adapter.ts';
import { stampVersion } from '#rest/api-version.ts';
import { bodyBudget, limitBodyMemory } from '#rest/body-budget.ts';
import { acceptBodies } from '#rest/body-parsers.ts';
import { refuseBrokenRequests, refuseOnConnection } from '#rest/broken-requests.ts';
import { serveDocs } from '#rest/docs.ts';
import { collectPaths, handleErrors, sendError } from '#rest/errors.ts';
import { limitUnreadResponses } from '#rest/response-budget.ts';
import { clientAddress } from '#server/http/client-address.ts';
import { compressResponses } from '#server/http/compression.ts';
import { trackConnections } from '#server/http/connections.ts';
import { readCookie } from '#server/http/cookies.ts';
import { type AllowOrigin, allowOrigins } from '#server/http/cross-origin.ts';
import { programOf } from '#server/http/program.ts';
import { bodyTooLarge, declaredSize } from '#server/http/request-limits.ts';
import { addDefaultHeaders } from '#server/http/response-headers.ts';
import { serveRpc } from '#server/http/rpc-handler.ts';
import { readCredentials } from '#server/identity/access/credentials.ts';
import { challenge, describeCredential } from '#server/identity/access/principal.ts';
import { checkSsoSettings } from '#server/identity/auth/sso/provider.ts';
import { requestIdFrom } from '#server/platform/ids.ts';
import { logOptions } from '#server/platform/log.ts';
import { withRedaction } from '#server/redaction/redacted-models.ts';
import { serveArtifactBytes, serveExportZip } from '#web/server/downloads.ts';
import { serveWeb, type WebFront, wantsHtml } from '#web/server/serve.ts';
import type { RequestContext, Services } from './context.ts';
import { AppError } from './errors.ts';
import { isCrossSite, isFromBrowser, refuseCrossSiteChange } from './http/cookies.ts';
import type { Metrics } from './observability/metrics.ts';
import { type Readiness, watchReadiness } from './observability/readiness.ts';
import { notesOf, observeRequests } from './observability/requests.ts';
import { appRouter } from './router.ts';
import { basePathOf, publicAddress, type Settings } from './settings.ts';

/** The services that `buildApp` needs from its caller. It adds `log`, the log of the HTTP application. */
type AppParts = Omit<Services, 'log'>;

interface AppObservers {
  /** The database that `/readyz` checks. Default: the database of the application. */
  probe?: Database;
  metrics?: Pick<Metrics, 'request'> | null;
}

export interface App {
  http: FastifyInstance;
  services: Services;
  readiness: Readiness;
}

/**
 * Builds the HTTP application: REST and `/trpc` over one router. It does not listen yet. It opens no resources, and
 * does not close those in its parameters.
 * @throws SettingsError if single sign-on is enabled but cannot work with these settings
 */
export async function buildApp(
  parts: AppParts,
  { probe = parts.database, metrics = null }: AppObservers = {},
): Promise<App> {
  const { settings } = parts;
  checkSsoSettings(settings);
  let allowOrigin: AllowOrigin | undefined;
  let withDefaultHeaders: ((reply: FastifyReply) => void) | undefined;
  const bodyLimit = Math.min(settings.MAX_REQUEST_BYTES, settings.MAX_UPLOAD_BYTES);
  const http = fastify({
    logger: logOptions(settings.LOG_LEVEL),
    // The `onResponse` hook below logs requests, without data that must not be logged.
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit,
    // Limits the time in which a request must arrive: a slow one uses memory, and would delay a drain.
    requestTimeout: 120_000,
    // High, so that an overlong id gets the response for an unknown id and not "malformed request".
    routerOptions: { maxParamLength: 16_384 },
    // The `onRequest` hook checks the Host header, because Node's own response to a missing one has no request id.
    http: { requireHostHeader: false },
    genReqId: (request) => requestIdFrom(request.headers['x-request-id']),
    // Requests on kept-alive connections are still served while the process drains.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    frameworkErrors: (error, request, reply) => {
      withDefaultHeaders?.(reply);
      stampVersion(request, reply, {});
      allowOrigin?.(request, reply);
      return sendError(reply, error);
    },
    clientErrorHandler: refuseBrokenRequests,
  });
  const services: Services = withRedaction({ ...parts, log: http.log });
  const knownPaths = collectPaths(http);
  let web: WebFront | undefined;

  // Ignore an unknown Expect header, like any other unknown header. Node would reject the request, without a request id.
  http.server.on('checkExpectation', (request, response) => http.server.emit('request', request, response));
  const addressOf = ({ headers, socket }: Pick<FastifyRequest, 'headers' | 'socket'>) =>
    clientAddress(headers, socket.remoteAddress ?? '', settings.TRUST_PROXY);
  withDefaultHeaders = addDefaultHeaders(http, publicAddress(settings).startsWith('https:'));
  allowOrigin = allowOrigins(http, settings.CORS_ORIGINS);
  compressResponses(http);
  limitBodyMemory(http, addressOf, bodyBudget(settings.MAX_UPLOAD_BYTES));
  limitUnreadResponses(http, addressOf);
  acceptBodies(http);
  observeRequests(http, addressOf, metrics);
  checkRequests(http, settings, knownPaths, () => web);
  // A hook, so that it also covers `/trpc` and requests that are rejected before they reach a route.
  http.addHook('onSend', async (_request, reply) => {
    if (reply.statusCode === 401 && !reply.hasHeader('www-authenticate'))
      reply.header('www-authenticate', challenge());
  });
  const connections = trackConnections(
    http.server,
    refuseOnConnection,
    settings.TRUST_PROXY === 0,
    addressOf,
  );
  const readiness = watchReadiness({
    database: probe,
    requests: parts.database,
    storage: parts.storage,
    log: http.log,
  });
  let closed: Promise<void> | undefined;
  http.addHook('preClose', async () => {
    readiness.beginDrain();
    await untilIdle();
    closed = new Promise((resolve) => http.server.close(() => resolve()));
    connections.drain();
  });
  // If the server is closing already, Fastify ends at once.
  http.addHook('onClose', () => closed);
  http.addHook('onSend', async (_request, reply) => {
    // So no proxy and no client sends a request on a kept connection at the moment when the server closes it.
    if (readiness.isDraining()) reply.header('connection', 'close');
  });
  handleErrors(http);

  serveRest(http, appRouter, contextOf(services, true), services);
  serveDocs(http, appRouter, basePathOf(settings));
  web = await serveWeb(http, appRouter, contextOf(services, true), services);
  // `/trpc` ignores the session cookie. So do the artifact files that the web application loads.
  serveRpc(http, appRouter, contextOf(services, false));
  serveArtifactBytes(http, contextOf(services, false));
  serveExportZip(http, contextOf(services, true));
  serveReadiness(http, readiness);
  await http.ready();
  return { http, services, readiness };
}

/**
 * Waits until the event loop has accepted all connections and has nothing else to do, but at most a second. When a port is
 * closed, the system resets the connections that are not accepted, although a proxy may have sent requests on them. So
 * the port is closed in the moment after a short turn of the loop, in which hardly any can have arrived.
 */
async function untilIdle(): Promise<void> {
  const begun = performance.now();
  for (let last = begun; last < begun + 1000; ) {
    await setImmediate();
    const now = performance.now();
    if (now - last < 0.05) return;
    last = now;
  }
}

/**
 * Rejects requests that no route would serve, before their bodies are read.
 * @param web returns the web application, or undefined before it is served
 */
function checkRequests(
  http: FastifyInstance,
  settings: Settings,
  knownPaths: ReturnType<typeof collectPaths>,
  web: () => WebFront | undefined,
): void {
  http.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    try {
      stampVersion(request, reply);
      if (request.headers.host === undefined && request.raw.httpVersion === '1.1')
        throw new AppError('malformed_request', 'the Host header is missing');
      // A proxy may use another one than this service (RFC 9112, 3.2). `headers` has only the first.
      if (request.raw.rawHeaders.filter((name, i) => i % 2 === 0 && /^host$/i.test(name)).length > 1)
        throw new AppError('malformed_request', 'the Host header must not be sent twice');
      refuseCrossSiteChange(request.method, request.headers, settings.BASE_URL);
      // Every request must meet this limit, in addition to its route's own limit.
      if (declaredSize(request) > settings.MAX_UPLOAD_BYTES)
        throw bodyTooLarge('MAX_UPLOAD_BYTES', settings, declaredSize(request));
    } catch (error) {
      return sendError(reply, error);
    }
    // Reject an unknown route before the body is read: no handler would use the body.
    if (request.is404) {
      const { error, allow } = knownPaths.refusalFor(request.url);
      if (allow) reply.header('allow', allow);
      else {
        const pages = web();
        if (pages && wantsHtml(request)) return pages.sendNotFound(request, reply);
      }
      return sendError(reply, error);
    }
  });
}

/** `/readyz` is for load balancers and orchestrators, not for callers: it is not part of the API. */
function serveReadiness(http: FastifyInstance, readiness: Readiness): void {
  http.get('/readyz', async (_request, reply) => {
    const report = await readiness.report();
    return reply.code(report.status === 'ready' ? 200 : 503).send(report);
  });
}

/**
 * Returns the function that creates the context of each request of one transport.
 * @param cookies whether the transport accepts cookies; all except `/trpc` do
 */
export function contextOf(services: Services, cookies: boolean) {
  const { BASE_URL, TRUST_PROXY } = services.settings;
  return (request: FastifyRequest, reply: FastifyReply): RequestContext => ({
    services,
    requestId: request.id,
    transport: cookies ? 'rest' : 'rpc',
    notes: notesOf(request),
    credentials: readCredentials(request.headers, cookies),
    get clientAddress() {
      return clientAddress(request.headers, request.socket.remoteAddress ?? '', TRUST_PROXY);
    },
    get agent() {
      return programOf(request.headers['user-agent']);
    },
    cookie: (name) => (cookies ? readCookie(request.headers, name) : null),
    prefersAsync: prefersAsync(request.headers),
    crossSite: isCrossSite(request.headers, BASE_URL),
    fromBrowser: isFromBrowser(request.headers),
    disconnected: () => disconnectSignal(reply),
    describeCredential(guard) {
      describeCredential(this, guard);
    },
    async admit({ admit }, procedure) {
      if (!admit) return;
      const { admissions } = this.notes;
      const admission = admissions.get(admit) ?? admit(this, procedure);
      admissions.set(admit, admission);
      await admission;
    },
    response: {
      setHeader: (name, value) => void reply.header(name, value),
      setStatus: (status) => void reply.code(status),
      addCookie: (cookie) => void reply.header('set-cookie', cookie),
    },
  });
}

/** Reads the preference for an asynchronous response (RFC 7240). A preference may have a value and parameters. */
function prefersAsync({ prefer }: FastifyRequest['headers']): boolean {
  const preferences = [prefer ?? []].flat().join(',').split(',');
  return preferences.some((preference) => /^\s*respond-async\s*(?:[=;]|$)/i.test(preference));
}

/**
 * Returns a signal that aborts when the client disconnects before the response is complete. Created only when a
 * handler asks for it.
 */
function disconnectSignal({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  const check = () => {
    if (!raw.writableFinished)
      controller.abort(new AppError('request_timeout', 'the client closed the connection'));
  };
  if (raw.destroyed) check();
  else raw.once('close', check);
  return controller.signal;
}
