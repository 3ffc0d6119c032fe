import { type Connection, createConnection } from '#sdk/connection.ts';
import { documents } from '#sdk/documents.ts';
import { memory } from '#sdk/memory.ts';
import { readOptions, type Settings } from '#sdk/options.ts';
import { reviews } from '#sdk/reviews.ts';
import type { Me, TenantDocumentArtifact } from '#sdk/types.ts';
import { usage } from '#sdk/usage.ts';
import { deployment } from './deployment.ts';
import { session } from './session/keeper.ts';

/**
 * Settings of requests that a person waits for. If the service asks for a wait of more than a second before a retry,
 * the request fails instead, and the screen shows the remaining wait.
 */
const settings: Settings = {
  ...readOptions({ baseUrl: location.origin + deployment.basePath }),
  maxRetryAfter: 1,
};
export const connection = createConnection(settings, session);
const { maxRetryAfter: _, ...patience } = settings;
/** For background requests: a retry waits as long as the SDK allows by default. */
export const patientConnection = createConnection(patience, session);

/** Binds methods of the SDK that few screens use to this application's session. Only these screens load them. */
export const bound = <T>(methods: (connection: Connection) => T): T => methods(connection);

/** The service for the signed-in member: the SDK's methods with this application's session. */
export const client = {
  documents: documents(connection),
  memory: memory(connection),
  reviews: reviews(connection),
  usage: usage(connection),
};

/** Returns the signed-in member. The SDK's other methods for accounts are not in the first load. */
export const readMe = () =>
  connection.json<Me>(
    { name: 'auth.me', repeatable: true, result: ['user'] },
    { method: 'GET', path: '/api/auth/me' },
  );

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
