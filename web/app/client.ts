import { billing } from '#sdk/billing.ts';
import { createConnection } from '#sdk/connection.ts';
import { documents } from '#sdk/documents.ts';
import { memory } from '#sdk/memory.ts';
import { type CallOptions, readOptions, type Settings } from '#sdk/options.ts';
import { createSend } from '#sdk/send.ts';
import { storage } from '#sdk/storage.ts';
import { tenants } from '#sdk/tenants.ts';
import { terminology } from '#sdk/terminology.ts';
import { translations } from '#sdk/translations.ts';
import type { TenantDocumentArtifact } from '#sdk/types.ts';
import { usage } from '#sdk/usage.ts';
import { deployment } from './deployment.ts';
import { type CallContext, createRpc, type Rpc, unwrap } from './rpc.ts';
import { session } from './session/keeper.ts';

/** A person who waits is told of a wait above a second, and counts down with it: a screen that only loads says nothing. */
const settings: Settings = {
  ...readOptions({ baseUrl: location.origin + deployment.basePath }),
  longestRetryAfter: 1,
};
const connection = createConnection(settings, session);
const rpc = createRpc(`${settings.baseUrl}/trpc`, settings.fetch);
const { longestRetryAfter: _, ...patience } = settings;
/** For what goes on behind the person's back, which waits as long as any program. */
const sendPatiently = createSend(patience, session);

/** The service, asked as the signed-in person: the SDK's own methods, with this application's session. */
export const client = {
  billing: billing(connection),
  documents: documents(connection),
  memory: memory(connection),
  storage: storage(connection),
  tenants: tenants(connection),
  terminology: terminology(connection),
  translations: translations(connection),
  usage: usage(connection),
};

/**
 * The bytes of one of a document's files, for its preview: the documented API has only the newest translated one.
 * @throws LinguaLoopError
 */
export async function readArtifact(documentId: string, { id, content_type }: TenantDocumentArtifact) {
  const path = `/app/documents/${encodeURIComponent(documentId)}/artifacts/${encodeURIComponent(id)}`;
  const { read } = await connection.downloads.open(
    { name: 'documents.artifact', repeatable: true },
    { method: 'GET', path },
    content_type,
    undefined,
  );
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  for (let piece = await read(); piece; piece = await read()) pieces.push(piece);
  return new Uint8Array(await new Blob(pieces).arrayBuffer());
}

/** The options of one attempt, as tRPC's client takes them. */
type To = { signal: AbortSignal; context: CallContext };

/** A request by a procedure. */
type Ask<T> = (rpc: Rpc, to: To) => Promise<T>;

function send<T>(
  by: typeof connection.send,
  call: { name: string; repeatable: boolean },
  ask: Ask<T>,
  options: CallOptions | undefined,
  onHeaders?: CallContext['onHeaders'],
): Promise<T> {
  return by(
    call,
    ({ signal, headers }) =>
      ask(rpc, { signal, context: { headers, onHeaders } }).catch((thrown) => {
        throw unwrap(thrown);
      }),
    options,
  );
}

/**
 * Reads by a procedure that the SDK has no method for: `query((rpc, to) => rpc.translations.counts.query({}, to))`. Repeated after
 * failures that pass, as the SDK does.
 * @throws LinguaLoopError
 */
export function query<T>(ask: Ask<T>, options?: CallOptions): Promise<T> {
  return send(connection.send, { name: 'query', repeatable: true }, ask, options);
}

/** One page of a list; null at its end. */
export interface Page<T> {
  items: T[];
  nextCursor: string | null;
}

/** Reads one page of a list by such a procedure: `queryPage((rpc, to) => rpc.members.list.query({ cursor }, to))`. */
export async function queryPage<T>(ask: Ask<T[]>, options?: CallOptions): Promise<Page<T>> {
  let nextCursor: string | null = null;
  const items = await send(connection.send, { name: 'query', repeatable: true }, ask, options, (headers) => {
    nextCursor = headers.get('x-next-cursor');
  });
  return { items, nextCursor };
}

/**
 * Changes something by such a procedure.
 * @param repeatable whether a second delivery does no harm
 * @param inBackground whether nobody waits for it
 */
export function mutate<T>(
  ask: Ask<T>,
  {
    repeatable = false,
    inBackground = false,
    ...options
  }: CallOptions & { repeatable?: boolean; inBackground?: boolean } = {},
): Promise<T> {
  return send(inBackground ? sendPatiently : connection.send, { name: 'mutation', repeatable }, ask, options);
}
