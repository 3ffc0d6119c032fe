import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { BadRequestError } from '#sdk/status-errors.ts';
import { client } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { Choice } from '../../kit/check-group.tsx';
import { useFormat } from '../../parts/format.ts';
import { useLanguages } from '../../parts/languages.tsx';
import { detected } from '../../parts/source-language.tsx';
import { procedures } from '../../procedures.ts';
import { queryKeys } from '../../query-keys.ts';
import type { FileQueue, FileRequest, ListedFile } from './file-queue.ts';
import { documentFields } from './options.ts';

/** An earlier version of a file, in one language. */
interface Earlier {
  target: string;
  id: string;
  createdAt: string;
  /** The segments that keep their translations, and all segments. */
  kept: number;
  segments: number;
}

/**
 * Finds the latest translated file of the same name and other content, for each language. The service decides whether the
 * new file can be a version of it: it compares the languages and options. Nothing is stored.
 */
async function findEarlier(
  file: File,
  { from, targets, options }: FileRequest,
  signal: AbortSignal,
): Promise<Earlier[]> {
  const digest = await crypto.subtle.digest('SHA-256', await file.arrayBuffer());
  const key = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
  const { files } = await procedures.documents.files.query({ text: file.name, limit: 100 }, { signal });
  const found: Earlier[] = [];
  for (const target of targets) {
    const latest = files
      .filter(
        (one) =>
          one.source_file_name === file.name &&
          one.target_lang === target &&
          (from === detected || one.source_lang === from),
      )
      .toSorted((one, other) => other.created_at.localeCompare(one.created_at))[0];
    // The same file again is not a new version.
    if (latest?.status !== 'translated' || latest.source_key === key) continue;
    const fields = {
      source_lang: from,
      target_lang: target,
      update_of: latest.id,
      ...documentFields(options),
    };
    try {
      const { kept, segments } = await client.documents.estimate(file, fields, { signal });
      const unchanged = kept?.segments ?? 0;
      found.push({
        ...{ target, id: latest.id, createdAt: latest.created_at },
        ...{ kept: unchanged, segments: segments + unchanged },
      });
    } catch (error) {
      // With other languages or options it is another file.
      if (!(error instanceof BadRequestError)) throw error;
    }
  }
  return found;
}

const none: readonly Earlier[] = [];

/** Proposes that a file is a new version of an earlier one with the same name. The member can make it a separate file. */
export function EarlierVersion({
  file: { id, file, name },
  request,
  queue,
}: {
  file: ListedFile;
  request: FileRequest;
  queue: FileQueue;
}) {
  const t = useT();
  const { day, number } = useFormat();
  const { nameOf } = useLanguages();
  const [isSeparate, setSeparate] = useState(false);
  const { data: found = none } = useQuery({
    queryKey: queryKeys.earlierVersions(id, request),
    queryFn: ({ signal }) => findEarlier(file as File, request, signal),
    enabled: file !== undefined && request.targets.length > 0,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  useEffect(() => {
    queue.update(id, isSeparate ? {} : Object.fromEntries(found.map((one) => [one.target, one.id])));
  }, [queue, id, found, isSeparate]);
  const [first] = found;
  if (!first) return null;
  return (
    <>
      <Choice
        label={t('translate.version')}
        isLabelShown={false}
        isRow
        value={isSeparate ? 'separate' : 'version'}
        options={[
          [
            'version',
            <bdi key="version">{t('translate.new_version', { name, day: day(first.createdAt) })}</bdi>,
          ],
          ['separate', t('translate.separate_file')],
        ]}
        onChange={(choice) => setSeparate(choice === 'separate')}
      />
      {!isSeparate && (
        <p className="hint">
          {t('translate.new_version_why')}{' '}
          {found
            .map(({ target, kept, segments }) =>
              t('translate.version_kept', {
                language: nameOf(target),
                kept: number(kept),
                segments: number(segments),
              }),
            )
            .join(' ')}
        </p>
      )}
    </>
  );
}
