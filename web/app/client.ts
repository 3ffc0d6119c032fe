import { billing } from '#sdk/billing.ts';
import { documents } from '#sdk/documents.ts';
import { createDownloads } from '#sdk/downloads.ts';
import { memory } from '#sdk/memory.ts';
import { type CallOptions, readOptions, type Settings } from '#sdk/options.ts';
import { createListing, type Page } from '#sdk/pages.ts';
import { createRest } from '#sdk/rest.ts';
import { type CallContext, createRpc, type Rpc } from '#sdk/rpc.ts';
import { createSend } from '#sdk/send.ts';
import { storage } from '#sdk/storage.ts';
import { tenants } from '#sdk/tenants.ts';
import { terminology } from '#sdk/terminology.ts';
import { translations } from '#sdk/translations.ts';
import type { TenantDocumentArtifact } from '#sdk/types.ts';
import { usage } from '#sdk/usage.ts';
import { deployment } from './deployment.ts';
import { session } from './session/keeper.ts';
import { type UploadProgress, uploadingFetch } from './upload.ts';

/** A person who waits is told of a wait above a second, and counts down with it: a screen that only loads says nothing. */
const settings: Settings = {
  ...readOptions({ baseUrl: location.origin + deployment.basePath }),
  longestRetryAfter: 1,
};
const rpc = createRpc(`${settings.baseUrl}/trpc`, settings.fetch);
const rest = createRest(settings.baseUrl, settings.fetch);
const send = createSend(settings, session);
const { longestRetryAfter: _, ...patience } = settings;
/** For what goes on behind the person's back, which waits as long as any program. */
const sendPatiently = createSend(patience, session);
const downloads = createDownloads(rest, send, settings);

/** The service, asked as the signed-in person: the SDK's own methods, with this application's session. */
export const client = {
  billing: billing(rpc, send),
  documents: documents(rpc, rest, send, downloads, settings),
  memory: memory(rpc, rest, send, downloads, settings),
  storage: storage(rpc, send),
  tenants: tenants(rpc, send),
  terminology: terminology(rpc, rest, send),
  translations: translations(rpc, rest, send),
  usage: usage(rpc, send, downloads),
};

/** The same for sending files, where the person sees how much has been sent. */
export function uploadClient(onProgress: UploadProgress) {
  const uploads = createRest(settings.baseUrl, uploadingFetch(onProgress));
  return {
    documents: documents(rpc, uploads, send, downloads, settings),
    memory: memory(rpc, uploads, send, downloads, settings),
    terminology: terminology(rpc, uploads, send),
    translations: translations(rpc, uploads, send),
  };
}

/**
 * The bytes of one of a document's files, for its preview: the documented API has only the newest translated one.
 * @throws LinguaLoopError
 */
export async function readArtifact(documentId: string, { id, content_type }: TenantDocumentArtifact) {
  const path = `/app/documents/${encodeURIComponent(documentId)}/artifacts/${encodeURIComponent(id)}`;
  const { read } = await downloads.open(
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

/**
 * Reads by a procedure that the SDK has no method for: `query((rpc, to) => rpc.translations.counts.query({}, to))`. Repeated after
 * failures that pass, as the SDK does.
 * @throws LinguaLoopError
 */
export function query<T>(ask: (rpc: Rpc, to: To) => Promise<T>, options?: CallOptions): Promise<T> {
  return send({ name: 'query', repeatable: true }, (to) => ask(rpc, to), options);
}

/** Reads one page of a list by such a procedure: `queryPage((rpc, to) => rpc.members.list.query({ cursor }, to))`. */
export function queryPage<T>(
  ask: (rpc: Rpc, to: To) => Promise<T[]>,
  options?: CallOptions,
): Promise<Page<T>> {
  const call = { name: 'query', repeatable: true };
  return createListing<{ cursor?: string }, T, CallOptions>(send, call, (_query, to) =>
    ask(rpc, to),
  ).listPage(undefined, options);
}

/**
 * Changes something by such a procedure.
 * @param repeatable whether a second delivery does no harm
 * @param inBackground whether nobody waits for it
 */
export function mutate<T>(
  ask: (rpc: Rpc, to: To) => Promise<T>,
  {
    repeatable = false,
    inBackground = false,
    ...options
  }: CallOptions & { repeatable?: boolean; inBackground?: boolean } = {},
): Promise<T> {
  return (inBackground ? sendPatiently : send)(
    { name: 'mutation', repeatable },
    (to) => ask(rpc, to),
    options,
  );
}
