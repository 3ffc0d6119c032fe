import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { writeSync } from 'node:fs';
import {
  type Attributes,
  type Context,
  type ContextManager,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  trace,
} from '@opentelemetry/api';

/**
 * A minimal OpenTelemetry SDK for tests. `node --import test/fakes/tracer.ts server/main.ts` writes each span, when it
 * ends, as a line of JSON to the file descriptor TRACE_FD.
 */
interface EndedSpan {
  name: string;
  traceId: string;
  spanId: string;
  parentId: string | undefined;
  attributes: Attributes;
  status: unknown;
}

// This module is loaded before the service, so it reads the environment itself and not through the service's settings.
const output = Number(process.env['TRACE_FD'] ?? 0);

const storage = new AsyncLocalStorage<Context>();
const manager: ContextManager = {
  active: () => storage.getStore() ?? ROOT_CONTEXT,
  with: (given, work, self, ...rest) => storage.run(given, () => work.call(self as never, ...rest)),
  bind: (_given, target) => target,
  enable: () => manager,
  disable: () => manager,
};

function startSpan(name: string, attributes: Attributes = {}, within: Context = context.active()): Span {
  const parent = trace.getSpanContext(within);
  const spanContext: SpanContext = {
    traceId: parent?.traceId ?? randomBytes(16).toString('hex'),
    spanId: randomBytes(8).toString('hex'),
    traceFlags: 1,
  };
  const ended: EndedSpan = {
    name,
    traceId: spanContext.traceId,
    spanId: spanContext.spanId,
    parentId: parent?.spanId,
    attributes: { ...attributes },
    status: undefined,
  };
  const span = {
    spanContext: () => spanContext,
    setAttribute(key: string, value: never) {
      ended.attributes[key] = value;
      return span;
    },
    setStatus(status: unknown) {
      ended.status = status;
      return span;
    },
    isRecording: () => true,
    end() {
      if (output > 0) writeSync(output, `${JSON.stringify(ended)}\n`);
    },
  } as unknown as Span;
  return span;
}

const tracer = {
  startSpan: (name: string, options?: { attributes?: Attributes }, within?: Context) =>
    startSpan(name, options?.attributes, within),
  startActiveSpan(name: string, options: { attributes?: Attributes }, work: (span: Span) => unknown) {
    const span = startSpan(name, options.attributes);
    return context.with(trace.setSpan(context.active(), span), () => work(span));
  },
};

context.setGlobalContextManager(manager);
trace.setGlobalTracerProvider({ getTracer: () => tracer as never });
propagation.setGlobalPropagator({
  inject: () => {},
  fields: () => ['traceparent'],
  extract(within, carrier, getter) {
    const [, traceId, spanId] =
      /^00-(\w{32})-(\w{16})-/.exec(String(getter.get(carrier, 'traceparent'))) ?? [];
    return traceId && spanId
      ? trace.setSpanContext(within, { traceId, spanId, traceFlags: 1, isRemote: true })
      : within;
  },
});
