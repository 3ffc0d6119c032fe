import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { TenantDocumentJob } from '#sdk/types.ts';
import { useT } from '../../i18n.tsx';
import { useFormat } from '../../parts/format.ts';
import { useLanguages } from '../../parts/languages.tsx';
import { ApproveMany } from './approve-many.tsx';
import { DocumentStatus } from './document-status.tsx';
import styles from './documents.module.css';
import { useProgress } from './use-progress.ts';

/** Documents as a table. Documents that are translated and not approved yet can be selected, and approved together. */
export function DocumentRows({
  documents,
  empty,
}: {
  documents: readonly TenantDocumentJob[];
  empty: string;
}) {
  const t = useT();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const progress = useProgress(documents);
  if (documents.length === 0) return <p>{empty}</p>;
  const approvable = documents.filter(isApprovable);
  const selected = approvable.filter(({ id }) => chosen.has(id));
  const choose = (id: string, isChosen: boolean) =>
    setChosen((before) => {
      const after = new Set(before);
      if (isChosen) after.add(id);
      else after.delete(id);
      return after;
    });
  return (
    <>
      <ApproveMany documents={selected} onApproved={() => setChosen(new Set())} />
      <div className="table-scroll">
        <table className={styles.table}>
          <thead>
            <tr>
              <th className={styles.choose}>
                <input
                  type="checkbox"
                  aria-label={t('documents.choose_all')}
                  disabled={approvable.length === 0}
                  checked={approvable.length > 0 && selected.length === approvable.length}
                  onChange={({ target }) =>
                    setChosen(new Set(target.checked ? approvable.map(({ id }) => id) : []))
                  }
                />
              </th>
              <th>{t('documents.name')}</th>
              <th>{t('documents.languages')}</th>
              <th>{t('documents.status')}</th>
              <th>{t('documents.to_review')}</th>
              <th>{t('documents.changed')}</th>
            </tr>
          </thead>
          <tbody>
            {documents.map((document) => (
              <DocumentRow
                key={document.id}
                document={document}
                progress={progress.get(document.id)}
                isChosen={chosen.has(document.id)}
                onChoose={choose}
              />
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function DocumentRow({
  document,
  progress,
  isChosen,
  onChoose,
}: {
  document: TenantDocumentJob;
  progress: Parameters<typeof DocumentStatus>[0]['progress'];
  isChosen: boolean;
  onChoose: (id: string, isChosen: boolean) => void;
}) {
  const t = useT();
  const { nameOf } = useLanguages();
  const { moment, number } = useFormat();
  const { id, request, source_file_name: name } = document;
  return (
    <tr>
      <td className={styles.choose}>
        {isApprovable(document) && (
          <input
            type="checkbox"
            aria-label={t('documents.choose', { name })}
            checked={isChosen}
            onChange={({ target }) => onChoose(id, target.checked)}
          />
        )}
      </td>
      <td>
        <Link to="/app/edit/documents/$documentId" params={{ documentId: id }}>
          <bdi translate="no">{name}</bdi>
        </Link>{' '}
        <span className={styles.format} translate="no">
          {document.source_format}
        </span>
        {document.error && <bdi className={styles.error}>{document.error}</bdi>}
      </td>
      <td>{t('documents.pair', { from: nameOf(request.source_lang), to: nameOf(request.target_lang) })}</td>
      <td>
        <DocumentStatus
          status={document.status}
          approvedAt={document.approved_at}
          progress={progress}
          waiting={document.waiting}
          isBrief
        />
      </td>
      <td>{document.status === 'translated' && number(flaggedOf(document))}</td>
      <td>
        <time dateTime={document.updated_at}>{moment(document.updated_at)}</time>
      </td>
    </tr>
  );
}

function isApprovable({ status, approved_at }: TenantDocumentJob): boolean {
  return status === 'translated' && approved_at === null;
}

/**
 * The number of segments in a translated document that need a review and are not confirmed. The source is the
 * document's quality report.
 */
export function flaggedOf({ quality_report: report }: Pick<TenantDocumentJob, 'quality_report'>): number {
  const quality = report?.metadata['llm_quality'] as { needs_review_units?: number } | undefined;
  const human = report?.metadata['human_review'] as { unresolved_units?: number } | undefined;
  return human?.unresolved_units ?? quality?.needs_review_units ?? 0;
}
