import { context, propagation, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RequestNotes } from '#server/context.ts';
import { type AppError, withoutQuotes } from '#server/errors.ts';
import { activeTracer, ModelTime, withModelTime } from '#server/platform/telemetry.ts';
import type { Metrics } from './metrics.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Notes that are collected while the request is served. Null before the first hook. */
    notes: RequestNotes | null;
    /** The request's span, if the process traces. */
    span: Span | null;
    /** The time of the request's model calls, if the process has metrics. */
    modelTime: ModelTime | null;
  }
  interface FastifyContextConfig {
    /** The name of the procedure, if the route has exactly one. */
    procedure?: string;
  }
}

/** Returns the notes about a request. The first call creates them. */
export function notesOf(request: FastifyRequest): RequestNotes {
  request.notes ??= { procedure: null, tenantId: null, error: null, admissions: new Map() };
  return request.notes;
}

const probes: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/** Error codes that mean that the operator has disabled or limited a feature. They are not failures. */
const intended: ReadonlySet<string | undefined> = new Set(['capability_off', 'storage_cap_reached']);

/** Returns the log level of a request: `error` for a fault of the service, `warn` for a failure of a dependency. */
function levelOf({ routeOptions, notes }: FastifyRequest, { statusCode }: FastifyReply) {
  // Probes arrive every few seconds, so they are logged at a low level. The reason why a process is not ready has a
  // separate log line.
  if (probes.has(routeOptions.url ?? '')) return statusCode === 200 ? 'debug' : 'info';
  if (statusCode === 500) return 'error';
  return statusCode > 500 && !intended.has(notes?.error?.code) ? 'warn' : 'info';
}

/**
 * Logs, measures and traces every request. Register it before hooks that may reject requests.
 *
 * A log line has the pattern of the route and the name of the procedure, never the URL: the query of a URL may
 * contain text that must not be logged.
 */
export function observeRequests(
  http: FastifyInstance,
  addressOf: (request: FastifyRequest) => string,
  metrics: Pick<Metrics, 'request'> | null,
): void {
  http.decorateRequest('notes', null);
  http.decorateRequest('span', null);
  http.decorateRequest('modelTime', null);
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
  // Restores the context of the trace after the body has been read, because the body's events run outside of it. The
  // hook is added only if the process traces, since it costs time.
  if (activeTracer())
    http.addHook('preValidation', (request, _reply, done) => {
      if (request.span) context.with(trace.setSpan(context.active(), request.span), done);
      else done();
    });
  if (metrics)
    http.addHook('preValidation', (request, _reply, done) => {
      request.modelTime = new ModelTime();
      withModelTime(request.modelTime, done);
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
      modelSeconds: request.modelTime?.seconds() ?? 0,
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

/**
 * Returns the message of an error for the log. Quoted parts are removed, because they may be a caller's text. For
 * invalid fields, returns only their number.
 */
function messageOf({ problems, message }: AppError): string {
  if (problems) return `${problems.length} invalid ${problems.length === 1 ? 'field' : 'fields'}`;
  return withoutQuotes(message);
}

function endSpan(span: Span, status: number, procedure: string | null, notes: RequestNotes | null): void {
  span.setAttribute('http.response.status_code', status);
  if (procedure !== null) span.setAttribute('lingualoop.procedure', procedure);
  if (notes?.tenantId) span.setAttribute('lingualoop.tenant_id', notes.tenantId);
  if (notes?.error) span.setAttribute('error.type', notes.error.code);
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}
