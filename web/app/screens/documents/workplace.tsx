import { useBlocker, useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useEffect, useMemo, useState } from 'react';
import type { TenantDocumentJob } from '#sdk/types.ts';
import { client } from '../../client.ts';
import { useKeeping } from '../../drafts/drafts.ts';
import { useT } from '../../i18n.tsx';
import { announce } from '../../parts/announcer.tsx';
import { Loading } from '../../parts/loading.tsx';
import { NewTerm } from '../../terms/new-term.tsx';
import { ApplyCorrections } from './apply-corrections.tsx';
import { createCorrections, useCorrectionCount } from './corrections.ts';
import { DocumentActions } from './document-actions.tsx';
import styles from './documents.module.css';
import { FoundCorrections, useUnappliedCorrections } from './found-corrections.tsx';
import { keepChanges, nextOpening } from './kept-corrections.ts';
import { QualityReport } from './quality-report.tsx';
import type { SegmentFilter } from './search.ts';
import { SegmentFilters } from './segment-filters.tsx';
import { SegmentList } from './segment-list.tsx';
import { isInFlight } from './use-progress.ts';

const Preview = lazy(() => import('./preview/preview.tsx'));

/** The segments of a document next to its file, and the reviewer's actions. */
export function Workplace({ document }: { document: TenantDocumentJob }) {
  const t = useT();
  const navigate = useNavigate();
  const filter = useSearch({ from: '/workspace/app/documents/$documentId' });
  const [current, setCurrent] = useState<number | null>(null);
  const [isPreviewed, setPreviewed] = useState(true);
  const { id, request } = document;
  const [{ opening, corrections }] = useState(() => {
    const kept = { documentId: id, opening: nextOpening(), language: request.target_lang };
    return {
      opening: kept.opening,
      corrections: createCorrections((before, after) => keepChanges(kept, before, after)),
    };
  });
  useEffect(() => {
    // Reports that the reviewer has opened this document: an approval of several documents skips documents that were
    // not opened. Errors are ignored, because nothing else depends on this report.
    client.reviews.claim({ kind: 'document', id, opened: true }).catch(() => undefined);
  }, [id]);
  const unapplied = useCorrectionCount(corrections);
  const left = useUnappliedCorrections(id, opening);
  // Whether leaving would lose corrections. If the browser stores drafts, unapplied corrections are saved on this
  // device and offered later.
  const isLost = !useKeeping() && unapplied > 0;
  useBlocker({
    shouldBlockFn: ({ current: from, next }) =>
      isLost &&
      from.pathname !== next.pathname &&
      !window.confirm(t('documents.leave', { count: unapplied })),
    enableBeforeUnload: isLost,
  });
  const mayEdit = document.status === 'translated';
  const setFilter = useCallback(
    (search: SegmentFilter) =>
      void navigate({
        to: '/app/documents/$documentId',
        params: { documentId: id },
        search,
        replace: true,
        resetScroll: false,
      }),
    [navigate, id],
  );
  // If the filter hides a segment that was opened in the preview, the filter is cleared.
  const showAll = useCallback(() => {
    setFilter({});
    announce(t('documents.filters_cleared'));
  }, [setFilter, t]);
  const languages = useMemo(
    () => ({ source: request.source_lang, target: request.target_lang }),
    [request.source_lang, request.target_lang],
  );
  return (
    <>
      <DocumentActions document={document} unapplied={unapplied + left.found.length} />
      <QualityReport document={document} onFilter={setFilter} onOpen={setCurrent} />
      {isInFlight(document.status) && <p>{t('documents.under_way')}</p>}
      <SegmentFilters documentId={id} filter={filter} onChange={setFilter} />
      {mayEdit && <FoundCorrections {...left} languages={languages} corrections={corrections} />}
      <ApplyCorrections documentId={id} languages={languages} corrections={corrections} />
      <NewTerm sourceLang={languages.source} targetLang={languages.target} />
      <div className={styles.panes} data-previewed={isPreviewed || undefined}>
        <section className={styles.pane} aria-label={t('documents.segments')}>
          <SegmentList
            // Each filter begins at its first match.
            key={JSON.stringify(filter)}
            documentId={id}
            filter={filter}
            languages={languages}
            corrections={corrections}
            current={current}
            mayEdit={mayEdit}
            onOpen={setCurrent}
            onHidden={showAll}
          />
        </section>
        <section className={styles.pane} aria-label={t('documents.preview')}>
          <button
            type="button"
            className="small"
            aria-expanded={isPreviewed}
            onClick={() => setPreviewed(!isPreviewed)}
          >
            {t(isPreviewed ? 'documents.hide_preview' : 'documents.show_preview')}
          </button>
          {isPreviewed && (
            <Suspense fallback={<Loading lines={20} />}>
              <Preview document={document} current={current} onOpen={setCurrent} />
            </Suspense>
          )}
        </section>
      </div>
    </>
  );
}
