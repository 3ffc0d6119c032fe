import type { KeptTexts } from '#server/formats/existing-target.ts';
import { type LayoutKind, layoutKinds } from '#server/formats/layout-kinds.ts';
import { type Warning, warningOf } from '#server/http/warnings.ts';
import type { TaskScope } from '#server/platform/sandbox/task-queue.ts';
import { newestArtifact, readArtifact } from './artifacts.ts';
import { hasUnapproved } from './assigned.ts';
import { fileRefusal, keepTextsOf } from './file-work.ts';
import { selectDocument } from './jobs.ts';
import { needsRendering, type RenderServices, renderDocument } from './rendering.ts';
import { selectionOf } from './selection-fields.ts';
import { type CheckedForm, languagesOfForm } from './submission-form.ts';

/*
 * An existing translation that a request sends with its source. The texts of it that stay are determined when the document
 * is submitted, and stored with it as a file. They are written whenever the translated file is rendered.
 */

/** Maximum places that a warning names. */
const maxPlaces = 5;

/**
 * Returns the texts of the existing translation that stay; undefined if the request has none. A text that was not edited
 * stays as reviewers have corrected it in the document of `update_of`.
 * @throws AppError 400 if the existing translation cannot be used
 */
export async function readKept(
  services: RenderServices,
  form: Pick<CheckedForm, 'existing' | 'file' | 'format' | 'request'>,
  scope: TaskScope,
): Promise<{ kept: KeptTexts | undefined; warnings: Warning[] }> {
  const { file, format, existing, request } = form;
  if (!existing) return { kept: undefined, warnings: [] };
  const corrected = await latestFile(services, scope.tenantId, request.update_of, format);
  const options = { ...languagesOfForm(form), ...selectionOf(request) };
  const payload = { format, bytes: file.bytes, options, corrected, ...existing };
  const { kept, conflicts, replaced, removed } = await keepTextsOf(services, payload, scope).catch(
    (error: unknown) => {
      throw fileRefusal(error);
    },
  );
  const warnings: Warning[] = [];
  if (conflicts.length > 0) {
    const message = `edited by hand and kept, although the source or the options have changed: ${listed(conflicts)}`;
    warnings.push(warningOf('edited_target_kept', 'existing_target', message));
  }
  if (replaced.length > 0) {
    const message = `edited by hand and translated again, because the source has changed since: ${listed(replaced)}`;
    warnings.push(warningOf('edited_target_replaced', 'existing_target', message));
  }
  if (removed.length > 0) {
    const message = `edited by hand and removed, because the source has no such text any longer: ${listed(removed)}`;
    warnings.push(warningOf('edited_target_removed', 'existing_target', message));
  }
  return { kept, warnings };
}

/**
 * Returns the translated file with reviewers' corrections; null if the document has corrections that await its approval,
 * because the new version would deliver them without it.
 */
async function latestFile(
  services: RenderServices,
  tenantId: string,
  documentId: string | undefined,
  format: LayoutKind,
): Promise<Uint8Array | null> {
  if (documentId === undefined) return null;
  const row = await services.database.inTenant(tenantId, async (tx) => {
    const isUnapproved = await hasUnapproved(tx, tenantId, documentId);
    return isUnapproved ? null : selectDocument(tx, tenantId, documentId);
  });
  if (row === null) return null;
  // Reviewers have saved corrections that the file does not have yet.
  if (row?.status === 'translated' && needsRendering(row))
    await renderDocument(services, { tenantId, documentId });
  const file = await services.database.inTenant(tenantId, (tx) =>
    newestArtifact(tx, tenantId, documentId, 'translated'),
  );
  return file?.contentType === layoutKinds[format].mediaType ? readArtifact(services, file) : null;
}

function listed(places: readonly string[]): string {
  const more = places.length > maxPlaces ? `; and ${places.length - maxPlaces} more` : '';
  return `${places.slice(0, maxPlaces).join('; ')}${more}`;
}
