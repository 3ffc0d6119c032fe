import { AsyncLocalStorage } from 'node:async_hooks';
import { type Attributes, ProxyTracerProvider, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';

/** The kinds of work that are measured and traced, in addition to requests. */
export type WorkKind = 'transaction' | 'step' | 'engine' | 'storage' | 'file' | 'task';

/** The events that are counted. The labels of each are from a fixed list: no ids, no text. */
export type Counted = 'engine_fallbacks' | 'engine_retries' | 'jobs' | 'mails';

/** Receives measurements. */
export interface Meter {
  duration(kind: WorkKind, name: string, ok: boolean, seconds: number): void;
  count(what: Counted, label: string, by: number): void;
  /** @param model the model as the request named it */
  tokens(direction: 'input' | 'output', model: string, tokens: number): void;
  /** @param seconds from the submission of a document until its first run */
  documentWait(seconds: number): void;
}

let meter: Meter | undefined;
let tracer: Tracer | undefined;

/** Sends the measurements of this process to `given` from now on. Undefined stops this. */
export function sendMeasurements(given: Meter | undefined): void {
  meter = given;
}

/**
 * Begins to trace if the process was started with an OpenTelemetry SDK (`node --import`). The service depends only on
 * the OpenTelemetry API, which does nothing without an SDK; without one, it does not even call the API.
 * @returns whether the process traces from now on
 */
export function traceIfRegistered(): boolean {
  const provider = trace.getTracerProvider();
  const isRegistered =
    !(provider instanceof ProxyTracerProvider) ||
    provider.getDelegate().constructor.name !== 'NoopTracerProvider';
  tracer = isRegistered ? trace.getTracer('lingualoop') : undefined;
  return isRegistered;
}

/** Returns the tracer; undefined if the process does not trace. */
export function activeTracer(): Tracer | undefined {
  return tracer;
}

/** Whether the process has metrics or traces. Only then are services wrapped. */
export function isObserved(): boolean {
  return meter !== undefined || tracer !== undefined;
}

/**
 * Runs `work`, and reports how long it took and whether it failed.
 * @param name a name from a short fixed list, because it becomes a label of a metric
 * @param attributes attributes for the trace; they may contain ids, but neither texts nor secrets
 */
export function observe<T>(
  kind: WorkKind,
  name: string,
  work: () => Promise<T>,
  attributes?: Attributes,
): Promise<T> {
  if (tracer) return traced(tracer, kind, name, () => measured(kind, name, work), attributes);
  return meter ? measured(kind, name, work) : work();
}

export function countEvent(what: Counted, label: string, by = 1): void {
  meter?.count(what, label, by);
}

/** Reports how long a document was queued before its first run. */
export function reportDocumentWait(seconds: number): void {
  meter?.documentWait(seconds);
}

/** Counts the tokens of one model call. */
export function countModelTokens(model: string, tokens: { inputTokens: number; outputTokens: number }): void {
  meter?.tokens('input', model, tokens.inputTokens);
  meter?.tokens('output', model, tokens.outputTokens);
}

async function measured<T>(kind: WorkKind, name: string, work: () => Promise<T>): Promise<T> {
  const begun = performance.now();
  let ok = false;
  try {
    const result = await (kind === 'engine' ? measureModelCall(work) : work());
    ok = true;
    return result;
  } finally {
    meter?.duration(kind, name, ok, (performance.now() - begun) / 1000);
  }
}

function traced<T>(
  by: Tracer,
  kind: WorkKind,
  name: string,
  work: () => Promise<T>,
  attributes: Attributes = {},
): Promise<T> {
  return by.startActiveSpan(`${kind} ${name}`, { attributes }, async (span) => {
    try {
      return await work();
    } catch (error) {
      // Set only the kind of the error: its message may quote a text.
      span.setStatus({
        code: SpanStatusCode.ERROR,
        message: error instanceof Error ? error.name : 'not an Error',
      });
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Measures how long at least one model call of a request was running or queued. Calls may run at the same time. */
export class ModelTime {
  #running = 0;
  #since = 0;
  #total = 0;

  /** Runs a model call. */
  async during<T>(call: () => Promise<T>): Promise<T> {
    if (this.#running === 0) this.#since = performance.now();
    this.#running += 1;
    try {
      return await call();
    } finally {
      this.#running -= 1;
      if (this.#running === 0) this.#total += performance.now() - this.#since;
    }
  }

  /** Seconds so far. */
  seconds(): number {
    const running = this.#running > 0 ? performance.now() - this.#since : 0;
    return (this.#total + running) / 1000;
  }
}

const current = new AsyncLocalStorage<ModelTime>();

/** Calls `work`. The model calls that it and its asynchronous continuations make are added to `time`. */
export function withModelTime<T>(time: ModelTime, work: () => T): T {
  return current.run(time, work);
}

/** Runs a model call, and adds its time to that of its request, if there is one. */
export function measureModelCall<T>(call: () => Promise<T>): Promise<T> {
  return current.getStore()?.during(call) ?? call();
}
