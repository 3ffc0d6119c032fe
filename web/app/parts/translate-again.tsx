import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { TenantDocumentJob } from '#sdk/types.ts';
import type { Includable } from '#server/formats/selection.ts';
import { client, readArtifact } from '../client.ts';
import { useT } from '../i18n.tsx';
import { ActionButton } from '../kit/action-button.tsx';
import { queryKeys } from '../query-keys.ts';
import { announce } from './announcer.tsx';

/** The codes of failures after which the same file may succeed. */
export const repeatable: readonly string[] = ['transient_error', 'interrupted', 'quota_exceeded'];

/**
 * Sends the stored file of a failed document again, with the same options, and opens the new document. The service runs
 * no failed document again. A document has one key for this, so that it is sent once, also if two members press the
 * button; a new document that fails has its own button.
 */
export function TranslateAgain({ id, code }: { id: string; code: string }) {
  const t = useT();
  const navigate = useNavigate();
  const queries = useQueryClient();
  if (!repeatable.includes(code)) return null;
  const send = async () => {
    const failed = await client.documents.get(id);
    // A file that was delivered to the workspace's own storage is billed, and the page of the document says so.
    const next = isDelivered(failed) ? failed : await sendAgain(failed);
    await queries.invalidateQueries({ queryKey: queryKeys.documents.all });
    await navigate({ to: '/app/edit/documents/$documentId', params: { documentId: next.id } });
    if (next !== failed) announce(t('documents.sent_again'));
  };
  return <ActionButton onRun={send}>{t('documents.translate_again')}</ActionButton>;
}

/** Whether the workspace has received the translated file although the job failed. */
export function isDelivered({ failure }: Pick<TenantDocumentJob, 'failure'>): boolean {
  return failure?.metadata['delivered_to'] !== undefined;
}

/**
 * Sends the stored file of a document again, with the same options.
 * @param added texts that the new document includes, too
 */
export async function sendAgain(
  { id, request, source_file_name: name, artifacts }: TenantDocumentJob,
  added: readonly Includable[] = [],
) {
  const source = artifacts.find(({ kind }) => kind === 'source');
  if (!source) throw new Error(`the document ${id} has no source file`);
  const file = new File([await readArtifact(id, source)], name, { type: source.content_type });
  const { source_lang, target_lang, domain, tone, gender, pages, output } = request;
  const include = [...new Set([...(request.include ?? []), ...added])];
  const { job } = await client.documents.translate(
    file,
    {
      source_lang,
      target_lang,
      ...(domain && { domain }),
      ...(tone && { tone }),
      ...(gender && { gender }),
      ...(pages && { pages }),
      ...(include.length > 0 && { include }),
      ...(output && { output }),
    },
    { idempotencyKey: ['again', id, ...added].join('-') },
  );
  return job;
}
