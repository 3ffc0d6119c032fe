import { type KeyboardEvent, lazy, type RefObject, Suspense, useId, useState } from 'react';
import type { TenantDocumentJob } from '#sdk/types.ts';
import { type MessageId, useT } from '../i18n.tsx';
import { Loading } from '../parts/loading.tsx';
import { QualityReport } from '../screens/documents/quality-report.tsx';
import type { Segment, SegmentFilter } from '../screens/documents/search.ts';
import { CommentsTab } from './comments-tab.tsx';
import styles from './editor.module.css';
import { HistoryTab } from './history-tab.tsx';
import { IssuesTab } from './issues-tab.tsx';
import type { Languages } from './marks.ts';
import { MemoryTab } from './memory-tab.tsx';
import type { OpenField } from './open-segment.tsx';
import { TermsTab } from './terms-tab.tsx';

const Preview = lazy(() => import('../screens/documents/preview/preview.tsx'));

const tabs = ['terms', 'memory', 'issues', 'comments', 'history'] as const;

type Tab = (typeof tabs)[number];

const storedTab = 'lingualoop-editor-tab';

/** Tabs with terms, matches, findings, comments and history of the open segment, and the page of the file below. */
export function SidePanel({
  document,
  segment,
  languages,
  field,
  onOpen,
  onFilter,
}: {
  document: TenantDocumentJob;
  segment: Segment | undefined;
  languages: Languages;
  field: RefObject<OpenField | null>;
  onOpen: (position: number) => void;
  onFilter: (filter: SegmentFilter) => void;
}) {
  const t = useT();
  const id = useId();
  const [tab, setTab] = useState<Tab>(
    () => tabs.find((one) => one === localStorage.getItem(storedTab)) ?? 'memory',
  );
  const select = (next: Tab) => {
    localStorage.setItem(storedTab, next);
    setTab(next);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const isRightToLeft = getComputedStyle(event.currentTarget).direction === 'rtl';
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const index = tabs.indexOf(tab) + (isRightToLeft ? -step : step);
    const next = tabs[(index + tabs.length) % tabs.length] as Tab;
    select(next);
    (event.currentTarget.querySelector(`[data-tab=${next}]`) as HTMLElement).focus();
    event.preventDefault();
  };
  return (
    <aside className={styles['panel']} aria-label={t('editor.panel')}>
      <div role="tablist" className={styles['tabs']} onKeyDown={onKeyDown}>
        {tabs.map((one) => (
          <button
            key={one}
            type="button"
            role="tab"
            data-tab={one}
            id={`${id}-${one}`}
            aria-controls={`${id}-panel`}
            aria-selected={one === tab}
            tabIndex={one === tab ? 0 : -1}
            onClick={() => select(one)}
          >
            {t(`editor.tab_${one}` satisfies MessageId)}
          </button>
        ))}
      </div>
      <div
        role="tabpanel"
        id={`${id}-panel`}
        aria-labelledby={`${id}-${tab}`}
        tabIndex={0}
        className={styles['tabPanel']}
      >
        {segment && tab === 'terms' && <TermsTab segment={segment} languages={languages} field={field} />}
        {segment && tab === 'memory' && <MemoryTab segment={segment} languages={languages} field={field} />}
        {tab === 'issues' && (
          <>
            <QualityReport document={document} onFilter={onFilter} onOpen={onOpen} />
            <IssuesTab documentId={document.id} onOpen={onOpen} />
          </>
        )}
        {segment && tab === 'comments' && (
          <CommentsTab
            key={segment.position}
            about={{ kind: 'document', id: document.id, position: segment.position }}
          />
        )}
        {segment && tab === 'history' && (
          <HistoryTab documentId={document.id} segment={segment} language={languages.target} />
        )}
      </div>
      <section className={styles['preview']} aria-label={t('editor.preview')}>
        <Suspense fallback={<Loading lines={12} />}>
          <Preview document={document} current={segment?.position ?? null} onOpen={onOpen} />
        </Suspense>
      </section>
    </aside>
  );
}
