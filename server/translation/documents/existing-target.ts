import type { Tx } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { Languages } from '#server/formats/document.ts';
import type { KeptTexts } from '#server/formats/existing-target.ts';
import { type Warning, warningOf } from '#server/http/warnings.ts';
import type { TaskScope } from '#server/platform/sandbox/task-queue.ts';
import type { LocatingServices } from '#server/storage/destination.ts';
import { newestArtifact, readArtifact } from './artifacts.ts';
import { fileRefusal, keepTextsOf } from './file-work.ts';
import type { CheckedForm } from './submission-form.ts';

/*
 * An existing translation that a request sends with its source. The texts of it that stay are determined when the document
 * is submitted, and stored with it as a file. They are written whenever the translated file is rendered.
 */

/** Maximum places that the warning names. */
const maxPlaces = 5;

/**
 * Returns the texts of the existing translation that stay; null if the request has none.
 * @throws AppError 400 if the existing translation cannot be used
 */
export async function readKept(
  services: Pick<Services, 'fileWork'>,
  { file, format, existing }: Pick<CheckedForm, 'existing' | 'file' | 'format'>,
  languages: Languages,
  scope: TaskScope,
): Promise<{ kept: KeptTexts; warnings: Warning[] } | null> {
  if (!existing) return null;
  const payload = { format, bytes: file.bytes, languages, ...existing };
  const { kept, conflicts, removed } = await keepTextsOf(services, payload, scope).catch((error: unknown) => {
    throw fileRefusal(error);
  });
  const warnings: Warning[] = [];
  if (conflicts.length > 0) {
    const message = `edited by hand and kept, although the source or the options have changed: ${listed(conflicts)}`;
    warnings.push(warningOf('edited_target_kept', 'existing_target', message));
  }
  if (removed.length > 0) {
    const message = `edited by hand and removed, because the source has no such text any longer: ${listed(removed)}`;
    warnings.push(warningOf('edited_target_removed', 'existing_target', message));
  }
  return { kept, warnings };
}

function listed(places: readonly string[]): string {
  const more = places.length > maxPlaces ? `; and ${places.length - maxPlaces} more` : '';
  return `${places.slice(0, maxPlaces).join('; ')}${more}`;
}

/** Returns the content of the file in which the texts are stored. */
export function encodeKept(kept: KeptTexts): Uint8Array {
  return new TextEncoder().encode(JSON.stringify([...kept]));
}

/** Returns the texts that stay; undefined if the document has none. */
export async function selectKept(
  services: LocatingServices & Pick<Services, 'database' | 'log'>,
  tenantId: string,
  documentId: string,
): Promise<KeptTexts | undefined> {
  const file = await services.database.inTenant(tenantId, (tx: Tx) =>
    newestArtifact(tx, tenantId, documentId, 'existing'),
  );
  if (!file) return undefined;
  const stored: unknown = JSON.parse(new TextDecoder().decode(await readArtifact(services, file)));
  if (!Array.isArray(stored)) throw new AppError('internal_error', 'the stored texts are damaged');
  return new Map(stored);
}
