import { type Answered, type ApiPromise, apiPromise, mapResult } from './api-promise.ts';
import { createDownloads, type Downloads } from './downloads.ts';
import { observe } from './events.ts';
import {
  type CallOptions,
  type CreateOptions,
  type LinguaLoopOptions,
  readOptions,
  type Settings,
} from './options.ts';
import { IdempotencyMismatchError } from './outcome-errors.ts';
import type { InputOf, MutationName, OutputOf, QueryName } from './procedure-types.ts';
import { createRest, type Rest, type RestRequest, resultOf } from './rest.ts';
import { type Attempt, type Call, createSend, type Send } from './send.ts';
import { createSession, type Session } from './session.ts';
import { sessionGrants } from './sign-in.ts';
import type { TenantDocumentJob, TranslationJob } from './types.ts';

/**
 * A connection to a deployment with one caller's credentials. Each part of the client (`translations`, `documents`,
 * ...) is created from it. A bundle that imports only `connect` and the parts that it needs does not contain the
 * other parts.
 */
export interface Connection {
  /** The service's URL, without a slash at the end. */
  readonly baseUrl: string;
  /** @internal */
  readonly settings: Settings;
  /** @internal */
  readonly session: Session;
  /** @internal */
  readonly rest: Rest;
  /** @internal */
  readonly observers: ReturnType<typeof observe>;
  /** @internal Sends as the signed-in member, if there is one. */
  readonly send: Send;
  /** @internal Sends with the credentials of the options. */
  readonly sendUnsigned: Send;
  /** @internal */
  readonly downloads: Downloads;
  /** @internal Sends a request and returns the JSON of its response. */
  json<T>(call: Call, request: RestRequest, options?: CallOptions | undefined): ApiPromise<T>;
  /** @internal Sends a request to which a successful response has no body. */
  done(call: Call, request: RestRequest, options?: CallOptions | undefined): ApiPromise<void>;
  /** @internal Calls a procedure over tRPC that changes nothing. */
  query<N extends QueryName>(name: N, input: InputOf<N>, options?: CallOptions): ApiPromise<OutputOf<N>>;
  /** @internal Calls a procedure over tRPC that may change something, but nothing more if it is called again. */
  mutate<N extends MutationName>(name: N, input: InputOf<N>, options?: CallOptions): ApiPromise<OutputOf<N>>;
  /** @internal Like `mutate`, but resends a request only if the service certainly did nothing. */
  mutateOnce: Connection['mutate'];
  /** @internal Makes a call whose attempts take more than one request. */
  run<T>(
    call: Call,
    attempt: (options: Attempt) => Promise<Answered<T>>,
    options?: CallOptions | undefined,
  ): ApiPromise<T>;
  /**
   * @internal Like `run`, for a call that creates jobs. @throws IdempotencyMismatchError if a job belongs to a
   * different request, unless the options prevent it
   */
  create<T extends Created>(
    call: Call,
    request: RestRequest,
    options?: CreateOptions | undefined,
  ): ApiPromise<T>;
  /** @internal Returns the idempotency key of a call that creates jobs: that of the options, or a new one. */
  keyOf(call: Call, options: CreateOptions | undefined): string;
}

/** The result of a call that creates jobs. */
type Created = TranslationJob | TenantDocumentJob | TranslationJob[];

/**
 * Connects to a deployment.
 *
 * ```ts
 *
 * const { create } = translations(connect({ baseUrl: 'http://127.0.0.1:8080', apiKey }));
 * ```
 * @throws TypeError that names the invalid option
 */
export function connect(options?: LinguaLoopOptions): Connection {
  return createConnection(readOptions(options));
}

/** @param session used in place of the SDK's own session, for example by the web application */
export function createConnection(settings: Settings, session?: Session): Connection {
  const rest = createRest(settings);
  const observers = observe(settings);
  const sendUnsigned = createSend(settings);
  const own = session ?? createSession(settings.tokens, sessionGrants(rest, settings));
  const send = createSend(settings, own);
  const run: Connection['run'] = (call, attempt, options) => apiPromise(send(call, attempt, options));
  const json: Connection['json'] = <T>(call: Call, request: RestRequest, options: CallOptions | undefined) =>
    run(
      call,
      async (attempt) => {
        const answered = await rest.json(request, attempt, resultOf<T>(call));
        if (call.warns) observers.warnings(call.name, answered.data);
        return answered;
      },
      options,
    );
  const procedure =
    (type: 'query' | 'mutation', repeatable: boolean) =>
    <T>(name: string, input: unknown, options?: CallOptions) =>
      run<T>({ name, repeatable }, (attempt) => rest.procedure(type, name, input ?? {}, attempt), options);
  return {
    baseUrl: settings.baseUrl,
    settings,
    session: own,
    rest,
    send,
    sendUnsigned,
    downloads: createDownloads(rest, send, settings),
    run,
    json,
    create: <T extends Created>(call: Call, request: RestRequest, options: CreateOptions | undefined) =>
      mapResult(json<T>(call, request, options), (created, { requestDiffers, requestId }) => {
        const onMismatch = options?.onIdempotencyMismatch ?? settings.onIdempotencyMismatch;
        if (requestDiffers && onMismatch === 'throw')
          throw new IdempotencyMismatchError(Array.isArray(created) ? created : [created], requestId);
        return created;
      }),
    observers,
    done: (call, request, options) => run(call, (attempt) => rest.done(request, attempt), options),
    query: procedure('query', true),
    mutate: procedure('mutation', true),
    mutateOnce: procedure('mutation', false),
    keyOf: (call, options) => options?.idempotencyKey ?? settings.idempotencyKey(call.name),
  };
}
