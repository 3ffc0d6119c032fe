import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { type SyntheticEvent, useState } from 'react';
import { analyses } from '#sdk/analyses.ts';
import { LinguaLoopError } from '#sdk/errors.ts';
import type { FileView } from '#sdk/file-types.ts';
import type { Analysis, AnalysisCell, AnalysisFile } from '#sdk/types.ts';
import { bound } from '../../client.ts';
import { type MessageId, type Translate, useT } from '../../i18n.tsx';
import { Row } from '../../kit/box.tsx';
import { type Column, DataTable } from '../../kit/data-table.tsx';
import { Text } from '../../kit/text.tsx';
import { fileFailureText } from '../../parts/file-failure.ts';
import { useFormat } from '../../parts/format.ts';
import { useLanguages } from '../../parts/languages.tsx';
import { Problem, problemText } from '../../parts/problem.tsx';
import { type Status, StatusMark } from '../../parts/status-mark.tsx';
import { repeatable } from '../../parts/translate-again.tsx';
import { useAction } from '../../parts/use-action.ts';
import { procedures } from '../../procedures.ts';
import { queryClient } from '../../query-client.ts';
import { queryKeys } from '../../query-keys.ts';
import { DownloadApproved, useDownload } from '../documents/download-files.tsx';
import { stateOf } from '../documents/files.ts';
import { Running } from '../documents/running.tsx';
import { isInFlight } from '../documents/use-progress.ts';
import { folderNames } from '../documents/zip-files.ts';
import { keyOf } from './counts.ts';
import { FileName } from './estimate-table.tsx';
import { estimateKeys } from './uploads.ts';

/** Documents of a request. */
const perRequest = 100;

type Documents = ReadonlyMap<string, FileView>;

const isRunning = (document: FileView | undefined) => document !== undefined && isInFlight(document.status);

/** Reads the documents that an estimate has started, again and again until all are translated or failed. */
function useDocuments(estimate: Analysis) {
  const ids = estimate.files.flatMap(({ languages }) =>
    languages.flatMap(({ start }) => (start?.state === 'sent' ? start.document_id : [])),
  );
  return useQuery({
    queryKey: queryKeys.documents.list({ estimate: ids }),
    queryFn: async (): Promise<Documents> => {
      const found: FileView[] = [];
      for (let from = 0; from < ids.length; from += perRequest) {
        const { files } = await procedures.documents.files.query({
          document_ids: ids.slice(from, from + perRequest),
        });
        found.push(...files);
      }
      return new Map(found.map((file) => [file.id, file]));
    },
    placeholderData: (before: Documents | undefined) => before,
    refetchInterval: ({ state: { data, dataUpdateCount } }) =>
      data?.values().some(isRunning) ? Math.min(2000 + 250 * dataUpdateCount, 10_000) : false,
  });
}

/** The outcome of a file in a language. */
interface Outcome {
  mark: Status | 'running';
  state: MessageId;
  details?: string;
  /** Whether it may be sent again. */
  isRepeatable?: boolean;
}

/** Whether a failure is certain to be before the file could be delivered to the workspace's own storage and billed. */
const isFree = ({ code, error_type }: { code: string; error_type: string | null }) =>
  code === 'quota_exceeded' || error_type?.startsWith('file_') === true;

function outcomeOf(
  { start }: AnalysisCell,
  document: FileView | undefined,
  isRead: boolean,
  t: Translate,
): Outcome {
  if (start === null) return { mark: 'todo', state: 'estimates.not_started' };
  if (start.state === 'requested') return { mark: 'running', state: 'estimates.queued' };
  if (start.state === 'refused')
    return {
      mark: 'critical',
      state: 'documents.state_failed',
      details: `${problemText(new LinguaLoopError(start), t)} ${t('estimates.free')}`,
      isRepeatable: true,
    };
  if (!document) return { mark: 'todo', state: isRead ? 'estimates.gone' : 'common.loading' };
  const state = stateOf(document);
  const { failure, critical, flagged } = document;
  if (state === 'failed')
    return {
      mark: 'critical',
      state: 'documents.state_failed',
      details: failure ? `${fileFailureText(failure, t)} ${isFree(failure) ? t('estimates.free') : ''}` : '',
      isRepeatable: failure !== null && repeatable.includes(failure.code),
    };
  if (state === 'translating')
    return {
      mark: 'running',
      state: 'documents.state_translating',
      // During an outage of the model, for example.
      ...(document.waiting && { details: t('documents.held_up') }),
    };
  if (state === 'approved') return { mark: 'confirmed', state: 'documents.state_approved' };
  const count = critical + flagged;
  return {
    mark: critical > 0 ? 'critical' : count > 0 ? 'warning' : 'todo',
    state: 'documents.state_needs_review',
    details:
      critical > 0
        ? t('estimates.to_check_critical', { count, critical })
        : count > 0
          ? t('estimates.to_check', { count })
          : t('documents.no_findings'),
  };
}

/** A file in a language, with its document after the start. */
interface ResultCell {
  file: AnalysisFile;
  cell: AnalysisCell;
  document: FileView | undefined;
  outcome: Outcome;
}

/** What is translated, what awaits review and by whom, and what failed, why, and what can be done. */
export function ResultTable({ estimate }: { estimate: Analysis }) {
  const t = useT();
  const { data: documents, error, refetch } = useDocuments(estimate);
  const columns = useColumns();
  const again = useAction();
  const groups = estimate.files.map((file) => ({
    key: file.id,
    head: <FileName name={file.name} />,
    rows: file.languages.map((cell): ResultCell => {
      const document = cell.start?.state === 'sent' ? documents?.get(cell.start.document_id) : undefined;
      return { file, cell, document, outcome: outcomeOf(cell, document, documents !== undefined, t) };
    }),
  }));
  const started = groups.flatMap(({ rows }) => rows.filter(({ cell }) => cell.start !== null));
  const done = started.filter(({ outcome }) => outcome.mark !== 'running').length;
  const sendAgain = ({ file, cell }: ResultCell) =>
    again.run(async () => {
      const only = [{ file_id: file.id, target_lang: cell.target_lang }];
      queryClient.setQueryData(
        estimateKeys.one(estimate.id),
        await bound(analyses).start(estimate.id, { only }),
      );
    });
  const folders = (by: 'language' | 'file') => {
    const names = folderNames(estimate.files.map(({ name }) => name));
    return new Map(
      groups.flatMap(({ rows }, index) =>
        rows.flatMap(({ cell, document }) =>
          document ? [[document.id, by === 'file' ? names[index]! : cell.target_lang] as const] : [],
        ),
      ),
    );
  };
  return (
    <>
      <Row gap={3} justify="space-between">
        <Text as="h2" size="lg">
          <span role="status">{t('estimates.finished', { done, count: started.length })}</span>
        </Text>
        <DownloadAll files={[...(documents?.values() ?? [])]} foldersBy={folders} />
      </Row>
      {error ? <Problem error={error} retry={() => void refetch()} /> : null}
      {again.error !== undefined && <Problem error={again.error} />}
      <DataTable
        caption={t('estimates.result')}
        isDense
        columns={columns}
        groups={groups.filter(({ rows }) => rows.length > 0)}
        keyOf={({ file, cell }) => keyOf(file, cell)}
        actions={{
          title: t('translate.open'),
          cell: (row) => <ResultAction of={row} isBusy={again.isBusy} onAgain={sendAgain(row)} />,
        }}
      />
    </>
  );
}

function useColumns(): Column<ResultCell>[] {
  const t = useT();
  const { nameOf } = useLanguages();
  const { number } = useFormat();
  return [
    {
      title: t('estimates.file_and_language'),
      isName: true,
      cell: ({ cell }) => nameOf(cell.target_lang),
    },
    {
      title: t('estimates.result'),
      cell: ({ outcome: { mark, state } }) => (
        <Row as="span" gap={1} isTight>
          {mark === 'running' ? <Running /> : <StatusMark status={mark} />}
          {t(state)}
        </Row>
      ),
    },
    { title: t('estimates.details'), wraps: true, cell: ({ outcome }) => outcome.details },
    {
      title: t('estimates.reviewer'),
      cell: ({ document, outcome }) =>
        document && outcome.state === 'documents.state_needs_review' ? (
          <bdi translate={document.assignee ? 'no' : undefined}>
            {document.assignee ?? t('estimates.unassigned')}
          </bdi>
        ) : null,
    },
    {
      title: t('estimates.billed'),
      isNumeric: true,
      cell: ({ cell, outcome }) =>
        number(
          outcome.state === 'documents.state_failed' || cell.start === null ? 0 : cell.billable_characters,
        ),
    },
  ];
}

/** Sends a failed file again, or opens its translation. */
function ResultAction({
  of: { file, cell, document, outcome },
  isBusy,
  onAgain,
}: {
  of: ResultCell;
  isBusy: boolean;
  onAgain: (event: SyntheticEvent) => unknown;
}) {
  const t = useT();
  const { nameOf } = useLanguages();
  const names = { name: file.name, language: nameOf(cell.target_lang) };
  if (outcome.isRepeatable)
    return (
      <button
        type="button"
        className="small"
        aria-disabled={isBusy}
        aria-label={t('estimates.again', names)}
        onClick={onAgain}
      >
        {t('common.retry')}
      </button>
    );
  return (
    document && (
      <Link
        className="button small"
        to="/app/edit/documents/$documentId"
        params={{ documentId: document.id }}
        aria-label={t('translate.document_open', names)}
      >
        {t('translate.open')}
      </Link>
    )
  );
}

/** Downloads all translations as an archive with a folder for each language or file. */
function DownloadAll({
  files,
  foldersBy,
}: {
  files: readonly FileView[];
  foldersBy: (by: 'language' | 'file') => ReadonlyMap<string, string>;
}) {
  const t = useT();
  const [by, setBy] = useState<'language' | 'file'>('language');
  const folders = foldersBy(by);
  const { download, error, isBusy, count, packed, drafts } = useDownload(files, folders);
  if (count === 0) return null;
  return (
    <Row gap={3}>
      {drafts > 0 && <span className="hint">{t('estimates.drafts', { count: drafts })}</span>}
      <select
        className="chip"
        aria-label={t('estimates.folders')}
        value={by}
        onChange={({ target }) => setBy(target.value as 'language' | 'file')}
      >
        <option value="language">{t('estimates.by_language')}</option>
        <option value="file">{t('estimates.by_file')}</option>
      </select>
      <button type="button" aria-disabled={isBusy} onClick={download}>
        <Download size={16} aria-hidden />
        {isBusy ? t('documents.packing', { packed, count }) : t('estimates.download', { count })}
      </button>
      <DownloadApproved files={files} folders={folders} />
      {error ? <Problem error={error} retry={() => void download()} /> : null}
    </Row>
  );
}
