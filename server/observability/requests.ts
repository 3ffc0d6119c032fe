import { context, propagation, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RequestNotes } from '#server/context.ts';
import type { AppError } from '#server/errors.ts';
import { activeTracer } from '#server/platform/telemetry.ts';
import type { Metrics } from './metrics.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Notes about the request, collected while it was served. Null before the first hook. */
    notes: RequestNotes | null;
    /** The request's span, if the process traces. */
    span: Span | null;
  }
  interface FastifyContextConfig {
    /** The procedure of the route, if it has only one. */
    procedure?: string;
  }
}

/** The request's notes, which are made at the first call. */
export function notesOf(request: FastifyRequest): RequestNotes {
  request.notes ??= { procedure: null, tenantId: null, error: null };
  return request.notes;
}

const probes: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/** A feature that the operator disabled is not a failure. */
const intended: ReadonlySet<string | undefined> = new Set(['capability_off', 'storage_cap_reached']);

/** A fault of the service is an error; a failure of a dependency is a warning. */
function levelOf({ routeOptions, notes }: FastifyRequest, { statusCode }: FastifyReply) {
  // Probes are sent every few seconds; the reason why a process is not ready is logged separately.
  if (probes.has(routeOptions.url ?? '')) return statusCode === 200 ? 'debug' : 'info';
  if (statusCode === 500) return 'error';
  return statusCode > 500 && !intended.has(notes?.error?.code) ? 'warn' : 'info';
}

/**
 * Logs, measures and traces every request. Register it before the hooks that may reject one.
 *
 * A log line has the route's pattern and the procedure's name, never the URL: a query string may contain text that
 * must not be logged.
 */
export function observeRequests(
  http: FastifyInstance,
  addressOf: (request: FastifyRequest) => string,
  metrics: Pick<Metrics, 'request'> | null,
): void {
  http.decorateRequest('notes', null);
  http.decorateRequest('span', null);
  http.addHook('onRequest', (request, _reply, done) => {
    notesOf(request);
    const tracer = activeTracer();
    if (tracer) {
      const parent = propagation.extract(context.active(), request.headers);
      const { method, routeOptions } = request;
      const route = routeOptions.url ?? 'unmatched';
      const attributes = { 'http.request.method': method, 'http.route': route };
      request.span = tracer.startSpan(`${method} ${route}`, { kind: SpanKind.SERVER, attributes }, parent);
    }
    done();
  });
  // After the body, whose events have lost the context. Without a tracer there is no hook to pay for.
  if (activeTracer())
    http.addHook('preValidation', (request, _reply, done) => {
      if (request.span) context.with(trace.setSpan(context.active(), request.span), done);
      else done();
    });
  http.addHook('onResponse', (request, reply, done) => {
    const procedure = request.notes?.procedure ?? request.routeOptions.config.procedure ?? null;
    http.log[levelOf(request, reply)](lineOf(request, reply, procedure, addressOf(request)), 'request');
    metrics?.request({
      method: request.method,
      route: request.routeOptions.url ?? 'unmatched',
      procedure: procedure ?? '',
      status: reply.statusCode,
      seconds: reply.elapsedTime / 1000,
    });
    if (request.span) endSpan(request.span, reply.statusCode, procedure, request.notes);
    done();
  });
}

function lineOf(
  { id, method, routeOptions, notes }: FastifyRequest,
  reply: FastifyReply,
  procedure: string | null,
  client: string,
) {
  return {
    request_id: id,
    method,
    route: routeOptions.url ?? null,
    procedure,
    status: reply.statusCode,
    ms: Math.round(reply.elapsedTime * 10) / 10,
    tenant_id: notes?.tenantId ?? null,
    client,
    ...(notes?.error && { error_code: notes.error.code, error: messageOf(notes.error) }),
    ...(notes?.error?.dependency && { dependency: notes.error.dependency }),
  };
}

/** The maximum length of a logged error message. */
const maxMessageLength = 200;

/**
 * The message of an error without its quotations, which may be a caller's text. Of invalid fields, only their number.
 */
function messageOf({ problems, message }: AppError): string {
  if (problems) return `${problems.length} invalid ${problems.length === 1 ? 'field' : 'fields'}`;
  return message.replace(/["'“‘«`].*["'”’»`]/s, '…').slice(0, maxMessageLength);
}

function endSpan(span: Span, status: number, procedure: string | null, notes: RequestNotes | null): void {
  span.setAttribute('http.response.status_code', status);
  if (procedure !== null) span.setAttribute('lingualoop.procedure', procedure);
  if (notes?.tenantId) span.setAttribute('lingualoop.tenant_id', notes.tenantId);
  if (notes?.error) span.setAttribute('error.type', notes.error.code);
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}
