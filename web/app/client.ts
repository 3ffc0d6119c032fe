import { auth } from '#sdk/auth.ts';
import { type Connection, createConnection } from '#sdk/connection.ts';
import { documents } from '#sdk/documents.ts';
import type { FilePage, FilesQuery } from '#sdk/file-types.ts';
import { memory } from '#sdk/memory.ts';
import { readOptions, type Settings } from '#sdk/options.ts';
import { reviews } from '#sdk/reviews.ts';
import type { TermsOfTexts, TermsOfTextsRequest } from '#sdk/term-types.ts';
import type {
  DocumentApproval,
  ReviewActRequest,
  ReviewManyRequest,
  ReviewManyResult,
  StorageBinding,
  StorageBindingRequest,
  TenantDocumentArtifact,
  TranslationJob,
} from '#sdk/types.ts';
import { usage } from '#sdk/usage.ts';
import type { Locale } from '#web/server/locale.ts';
import { deployment } from './deployment.ts';
import { onSessionChange, session, sessionState } from './session/keeper.ts';

/**
 * Settings of requests that a person waits for. If the service asks for a wait of more than a second before a retry,
 * the request fails instead, and the screen shows the remaining wait.
 */
const settings: Settings = {
  ...readOptions({ baseUrl: location.origin + deployment.basePath }),
  maxRetryAfter: 1,
};
const connection = createConnection(settings, session);
const { maxRetryAfter: _, ...patience } = settings;
/** For background requests: a retry waits as long as the SDK allows by default. */
const patientConnection = createConnection(patience, session);

/** Binds methods of the SDK that few screens use to this application's session. Only these screens load them. */
export const bound = <T>(methods: (connection: Connection) => T): T => methods(connection);

/** The service for the signed-in member: the SDK's methods with this application's session. */
export const client = {
  auth: auth(connection),
  documents: documents(connection),
  memory: memory(connection),
  reviews: reviews(connection),
  usage: usage(connection),
};

/**
 * Calls a procedure that only this application uses, and that changes nothing.
 * @param name the procedure, such as `usage.breakdown`
 * @throws LinguaLoopError
 */
export function ask<T>(name: string, input: object = {}): Promise<T> {
  return connection.query({ name, repeatable: true }, input);
}

/**
 * Returns the bytes of one file of a document, for the preview. The documented API returns only the latest translated
 * file.
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

/** Aborts at sign-out, so that a queued retry is not sent for the next member who signs in. */
let signedIn = new AbortController();
onSessionChange(() => {
  if (sessionState().kind !== 'signed_out') return;
  signedIn.abort();
  signedIn = new AbortController();
});

/**
 * Like `translations.act` of the SDK, but resends the review after a temporary failure. A review names the version of the
 * job that it applies to: if the first attempt was applied, the second attempt fails with a ConflictError, and the
 * caller checks the job's state.
 * @param inBackground true if the reviewer does not wait for the response
 */
export function actOnJob(
  request: ReviewActRequest,
  { inBackground = false }: { inBackground?: boolean } = {},
): Promise<TranslationJob> {
  const by = inBackground ? patientConnection : connection;
  return by.mutate({ name: 'translations.act', repeatable: true }, request, { signal: signedIn.signal });
}

/**
 * Approves a document, and resends the request after a temporary failure.
 * @param request `updated_at`: the version that the reviewer has read; the approval fails if others have changed it since
 */
export function approveDocument(request: {
  document_id: string;
  updated_at: string;
}): Promise<DocumentApproval> {
  return connection.mutate({ name: 'documents.approve', repeatable: true }, request);
}

/** Returns a page of the workspace's files with their progress, the last changed first. */
export function listFiles(query: FilesQuery, options: { signal?: AbortSignal } = {}): Promise<FilePage> {
  return connection.query({ name: 'documents.files', repeatable: true }, query, options);
}

/** Returns the glossary terms of several texts. */
export function termsOfTexts(request: TermsOfTextsRequest): Promise<TermsOfTexts> {
  return connection.mutate({ name: 'terminology.matchesOfTexts', repeatable: true }, request);
}

/**
 * Acts on several jobs in the background, and resends the request after a temporary failure. Reviews that the first
 * attempt applied are rejected in the second attempt.
 */
export function actOnJobs(reviews: ReviewManyRequest['reviews']): Promise<ReviewManyResult> {
  const call = { name: 'translations.reviewMany', repeatable: true };
  return patientConnection.mutate(call, { reviews }, { signal: signedIn.signal });
}

/**
 * Calls a procedure that only this application uses. It is not resent: if the response is lost, the first request may
 * have had its effect.
 * @param name the procedure, such as `retention.anonymizeMember`
 * @throws LinguaLoopError
 */
export function tell<T>(name: string, input: object): Promise<T> {
  return connection.mutate({ name, repeatable: false }, input);
}

/** Changes the emails that the member gets. It is resent after a temporary failure, because a second call changes nothing more. */
export function setMailPreferences(change: {
  digest?: boolean;
  documents?: boolean;
  language?: Locale;
}): Promise<{ digest: boolean; documents: boolean }> {
  return connection.mutate({ name: 'mail.setPreferences', repeatable: true }, change);
}

/** Connects storage over /trpc, which may demand a proof of identity. It is resent after a temporary failure. */
export function bindStorage(request: StorageBindingRequest): Promise<StorageBinding> {
  return connection.mutate({ name: 'storage.bind', repeatable: true }, request);
}

/** Starts the export of the workspace. It is not resent: another export cannot start while the first one runs. */
export function startExport(): Promise<unknown> {
  return connection.mutate({ name: 'exports.start', repeatable: false }, {});
}

/**
 * Calls a procedure of the operators' pages that changes something. It is resent after a temporary failure, because a
 * second call changes nothing more.
 */
export function operate<T>(name: string, input: object): Promise<T> {
  return connection.mutate({ name: `operations.${name}`, repeatable: true }, input);
}
