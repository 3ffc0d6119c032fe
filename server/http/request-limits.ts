import type { FastifyRequest } from 'fastify';
import type { Access, RequestContext } from '#server/context.ts';
import { AppError, toAppError, tooLarge } from '#server/errors.ts';
import type { BodyKind } from '#server/trpc.ts';

/** Returns a Content-Type in lowercase, without its parameters; empty if the request has no Content-Type. */
export function mediaType(contentType: string | undefined): string {
  return (contentType ?? '').split(';', 1)[0]!.trim().toLowerCase();
}

/** The two size limits, in bytes. */
export interface BodyLimits {
  /** The limit for the declared size of a body that is not a form. */
  MAX_REQUEST_BYTES: number;
  /** The limit for every request, for both the declared and the received size. */
  MAX_UPLOAD_BYTES: number;
}

/** Limit for a URL-encoded form, in bytes: far more than a token or a password needs. */
const maxFormBytes = 65_536;

/**
 * Limit for a payment event, in bytes. Events have a few thousand bytes. The whole body is read before the sender is
 * authenticated, because the signature covers its exact bytes.
 */
const maxEventBytes = 1_000_000;

/** Maximum bytes that are read from a body whose sender is not authenticated, if the procedure needs no credential. */
export const maxUnauthenticatedBytes = 102_400;

/** The part of a body that is read before its sender is admitted. */
export interface BodyAdmission {
  /** Whether the procedure needs a credential. */
  isGuarded: boolean;
  /** Bytes. */
  free: number;
  /** Called before more than `free` bytes are read. @throws AppError if the sender must not send that much */
  admit(): Promise<void>;
}

/**
 * Returns how much of a procedure's body is read before its sender is admitted.
 * @param free the bytes, if the procedure needs a credential
 */
export function admissionOf(
  { access, procedure, free }: { access: Access; procedure: string; free: number },
  request: FastifyRequest,
  createContext: () => RequestContext,
): BodyAdmission {
  if (!access.admit)
    return {
      isGuarded: false,
      free: maxUnauthenticatedBytes,
      admit: () => Promise.reject(tooLargeUnauthenticated(declaredSize(request))),
    };
  return {
    isGuarded: true,
    free: access.inputFirst ? maxUnauthenticatedBytes : free,
    async admit() {
      const ctx = createContext();
      try {
        await ctx.admit(access, procedure);
      } catch (error) {
        if (toAppError(error).code === 'unauthenticated') ctx.describeCredential(access.guard);
        throw error;
      }
    },
  };
}

/** The size limit for the bodies of one route, and the name of the limit in error messages. */
export interface BodyCeiling {
  name: 'MAX_UPLOAD_BYTES' | `${number} bytes`;
  bytes: number;
}

/** Returns the size limit for the bodies of a route, or undefined if the general limit, MAX_REQUEST_BYTES, applies. */
export function bodyCeiling(
  address: { takesFiles: boolean; body: BodyKind },
  limits: BodyLimits,
): BodyCeiling | undefined {
  if (address.takesFiles) return { name: 'MAX_UPLOAD_BYTES', bytes: limits.MAX_UPLOAD_BYTES };
  const bytes = maxBytesOf[address.body];
  return limits[exceededFirst(limits)] < bytes ? undefined : { name: `${bytes} bytes`, bytes };
}

const maxBytesOf: Readonly<Record<BodyKind, number>> = {
  json: Number.POSITIVE_INFINITY,
  form: maxFormBytes,
  form_or_json: maxFormBytes,
  raw: maxEventBytes,
  xliff: Number.POSITIVE_INFINITY,
};

/**
 * Rejects an oversized body by its Content-Length, before it is read. A form is compared with MAX_UPLOAD_BYTES: the
 * limit for its file is known only when the file's part begins.
 */
export function refuseDeclaredSize(request: FastifyRequest, limits: BodyLimits): void {
  const limit = isForm(request) ? 'MAX_UPLOAD_BYTES' : exceededFirst(limits);
  const declared = declaredSize(request);
  const exceeded = (['MAX_UPLOAD_BYTES', limit] as const).find((name) => declared > limits[name]);
  if (exceeded) throw bodyTooLarge(exceeded, limits, declared);
}

function exceededFirst(limits: BodyLimits): keyof BodyLimits {
  return limits.MAX_UPLOAD_BYTES < limits.MAX_REQUEST_BYTES ? 'MAX_UPLOAD_BYTES' : 'MAX_REQUEST_BYTES';
}

/** Bytes according to Content-Length; 0 if it is not sent. */
export function declaredSize({ headers }: FastifyRequest): number {
  return Number(headers['content-length'] ?? 0);
}

export function isForm({ headers }: FastifyRequest): boolean {
  return mediaType(headers['content-type']) === 'multipart/form-data';
}

/** @param declared bytes by Content-Length; 0 for a streamed body, whose size is unknown */
export function bodyTooLarge(name: keyof BodyLimits, limits: BodyLimits, declared: number): AppError {
  return bodyOver({ name, bytes: limits[name] }, declared);
}

export function bodyOver({ name, bytes }: { name: string; bytes: number }, declared: number): AppError {
  const actual = declared > bytes ? declared : undefined;
  return tooLarge(`request body exceeds ${name}`, { limit: bytes, actual, unit: 'bytes' });
}

/** The error for a large body on a route that authenticates its sender only after the body has been read. */
function tooLargeUnauthenticated(declared: number): AppError {
  return bodyOver({ name: `${maxUnauthenticatedBytes} bytes`, bytes: maxUnauthenticatedBytes }, declared);
}

/** The time limit of an API request, from the moment that its work begins. */
interface RequestDeadline extends Disposable {
  /** Aborts at the deadline. The reason is the error that the caller gets. */
  readonly signal: AbortSignal;
}

/**
 * Starts a deadline, which ends with the work that declares it (`using`). If a model does not respond, the caller must
 * get a response before proxies in between time out. Every call that the work makes must end when the signal aborts.
 * @param seconds for a request, REQUEST_DEADLINE_SECONDS
 */
export function startDeadline(seconds: number): RequestDeadline {
  const controller = new AbortController();
  // AbortSignal.timeout would keep its timer after the work has ended.
  const timer = setTimeout(() => controller.abort(deadlineError(seconds)), seconds * 1000);
  return { signal: controller.signal, [Symbol.dispose]: () => clearTimeout(timer) };
}

/** Seconds after which a caller may send the request again, because the cause of the delay has probably ended. */
const retryAfter = 5;

/** The error of a request that did not complete before its deadline. */
function deadlineError(seconds: number): AppError {
  return new AppError(
    'transient_error',
    `the request exceeded its deadline of ${seconds} s; send it again with the same Idempotency-Key, or split a long text or a large batch`,
    { retryAfter },
  );
}
