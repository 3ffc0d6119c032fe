import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { TenantDocumentJob } from '#sdk/types.ts';
import { client } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { useFormat } from '../../parts/format.ts';
import { plainName } from '../../parts/language-text.tsx';
import { useLanguages } from '../../parts/languages.tsx';
import { Read } from '../../parts/loading.tsx';
import { Warnings } from '../../parts/warnings.tsx';
import { queryKeys } from '../../query-keys.ts';
import { DocumentStatus } from './document-status.tsx';
import styles from './documents.module.css';
import { useProgress } from './use-progress.ts';
import { Workplace } from './workplace.tsx';

/** `/app/documents/{id}`: a document with its segments next to its file. */
export function DocumentScreen() {
  const { documentId } = useParams({ from: '/workspace/app/documents/$documentId' });
  const document = useQuery({
    queryKey: queryKeys.documents.document(documentId),
    queryFn: () => client.documents.get(documentId),
  });
  return (
    <Read from={document} lines={20} heading="documents.name">
      {/* The key ensures that each document has its own corrections. */}
      {(found) => <Document key={found.id} document={found} />}
    </Read>
  );
}

function Document({ document }: { document: TenantDocumentJob }) {
  const t = useT();
  const { nameOf } = useLanguages();
  const { moment } = useFormat();
  const progress = useProgress([document]).get(document.id);
  const { request, source_file_name: name, approved_at: approvedAt, approved_by: approvedBy } = document;
  return (
    <>
      <title>{`${plainName(name)} · LinguaLoop`}</title>
      <p className={styles.back}>
        <Link to="/app/files">{t('documents.all')}</Link>
      </p>
      <h1 className={styles.name}>
        <bdi translate="no">{name}</bdi>
      </h1>
      <div className={styles.summary}>
        <DocumentStatus
          status={document.status}
          approvedAt={approvedAt}
          progress={progress}
          waiting={document.waiting}
        />
        <span>
          {t('documents.pair', { from: nameOf(request.source_lang), to: nameOf(request.target_lang) })}
        </span>
        {approvedAt && (
          <span className={styles.soft}>
            {t('documents.approved_by')} <bdi translate="no">{approvedBy}</bdi>, {moment(approvedAt)}
          </span>
        )}
        <span className={styles.soft}>
          {t('documents.changed')} <time dateTime={document.updated_at}>{moment(document.updated_at)}</time>
        </span>
      </div>
      {document.error && (
        <p className="problem">
          <bdi>{document.error}</bdi>
        </p>
      )}
      <Warnings of={document.warnings} />
      <Workplace document={document} />
    </>
  );
}
