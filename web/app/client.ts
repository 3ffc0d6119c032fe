import { audit } from '#sdk/audit.ts';
import { auth } from '#sdk/auth.ts';
import { billing } from '#sdk/billing.ts';
import { createConnection } from '#sdk/connection.ts';
import { documents } from '#sdk/documents.ts';
import { members } from '#sdk/members.ts';
import { memory } from '#sdk/memory.ts';
import { readOptions, type Settings } from '#sdk/options.ts';
import { reviews } from '#sdk/reviews.ts';
import { storage } from '#sdk/storage.ts';
import { tenants } from '#sdk/tenants.ts';
import { terminology } from '#sdk/terminology.ts';
import { translations } from '#sdk/translations.ts';
import type {
  DocumentApproval,
  ReviewActRequest,
  ReviewManyRequest,
  ReviewManyResult,
  TenantDocumentArtifact,
  TranslationJob,
} from '#sdk/types.ts';
import { usage } from '#sdk/usage.ts';
import { deployment } from './deployment.ts';
import { onSessionChange, session, sessionState } from './session/keeper.ts';

/** If a request has to wait longer than a second, the screen shows the remaining wait instead of only loading. */
const settings: Settings = {
  ...readOptions({ baseUrl: location.origin + deployment.basePath }),
  maxRetryAfter: 1,
};
const connection = createConnection(settings, session);
const { maxRetryAfter: _, ...patience } = settings;
/** For background requests, which may wait as long as other programs do. */
const patientConnection = createConnection(patience, session);

/** The service for the signed-in member: the SDK's methods with this application's session. */
export const client = {
  audit: audit(connection),
  auth: auth(connection),
  billing: billing(connection),
  documents: documents(connection),
  members: members(connection),
  memory: memory(connection),
  reviews: reviews(connection),
  storage: storage(connection),
  tenants: tenants(connection),
  terminology: terminology(connection),
  translations: translations(connection),
  usage: usage(connection),
};

/**
 * The bytes of one of a document's files, for its preview: the documented API only has the latest translated one.
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

/** The keys of the member's drafts, 32 bytes each: the first one encrypts, all of them decrypt. @throws LinguaLoopError */
export async function readDraftKeys(): Promise<Uint8Array<ArrayBuffer>[]> {
  const call = { name: 'auth.draftKeys', repeatable: true };
  const { keys } = await patientConnection.query<{ keys: string[] }>(call, {});
  return keys.map((key) => Uint8Array.from(atob(key), (character) => character.charCodeAt(0)));
}

/** Aborts at sign-out, so that a queued retry is not sent for the next member who signs in. */
let signedIn = new AbortController();
onSessionChange(() => {
  if (sessionState().kind !== 'signed_out') return;
  signedIn.abort();
  signedIn = new AbortController();
});

/**
 * Like `client.translations.act`, but resends the review after a temporary failure. It names the reviewed version: if the
 * first request arrived, the second one gets a ConflictError, and the caller checks the job's state.
 * @param inBackground whether the reviewer does not wait for it
 */
export function actOnJob(
  request: ReviewActRequest,
  { inBackground = false }: { inBackground?: boolean } = {},
): Promise<TranslationJob> {
  const by = inBackground ? patientConnection : connection;
  return by.mutate({ name: 'translations.act', repeatable: true }, request, { signal: signedIn.signal });
}

/**
 * Approves a document over the typed calls: ConflictError with the code `critical_findings` if it has unconfirmed critical
 * findings.
 */
export function approveDocument(request: {
  document_id: string;
  confirm_critical?: boolean;
}): Promise<DocumentApproval> {
  return connection.mutate({ name: 'documents.approve', repeatable: true }, request);
}

/**
 * Acts on several jobs in the background, in the same way: reviews that the first request applied are rejected in the
 * second.
 */
export function actOnJobs(reviews: ReviewManyRequest['reviews']): Promise<ReviewManyResult> {
  const call = { name: 'translations.reviewMany', repeatable: true };
  return patientConnection.mutate(call, { reviews }, { signal: signedIn.signal });
}
