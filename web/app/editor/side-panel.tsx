import { X } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, Suspense, useId, useState } from 'react';
import { type MessageId, useT } from '../i18n.tsx';
import { Loading } from '../parts/loading.tsx';
import { isVisitor } from '../session/keeper.ts';
import styles from './editor.module.css';
import { showOpenSegment, togglePanel, useEditorView } from './editor-view.ts';

const tabs = ['terms', 'memory', 'issues', 'comments', 'history'] as const;

type Tab = (typeof tabs)[number];

/** The tabs for visitors of the demo workspace. The others need requests that are closed to them. */
const visitorTabs: readonly Tab[] = ['issues', 'history'];

const storedTab = 'lingualoop-editor-tab';

/** Tabs with terms, matches, findings, comments and history of the open segment, and something below them. */
export function SidePanel({
  contents,
  counts,
  children,
}: {
  /** The content of each tab; only that of the selected tab is in the page. */
  contents: Record<Tab, ReactNode>;
  /** Shown in the labels of tabs: how many entries each has. */
  counts?: Partial<Record<Tab, ReactNode>>;
  /** Shown below the tabs. */
  children?: ReactNode;
}) {
  const t = useT();
  const id = useId();
  const shown = isVisitor() ? visitorTabs : tabs;
  const [tab, setTab] = useState<Tab>(
    () => shown.find((one) => one === localStorage.getItem(storedTab)) ?? (isVisitor() ? 'issues' : 'memory'),
  );
  const select = (next: Tab) => {
    localStorage.setItem(storedTab, next);
    setTab(next);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const isRightToLeft = getComputedStyle(event.currentTarget).direction === 'rtl';
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const index = shown.indexOf(tab) + (isRightToLeft ? -step : step);
    const next = shown[(index + shown.length) % shown.length] as Tab;
    select(next);
    (event.currentTarget.querySelector(`[data-tab=${next}]`) as HTMLElement).focus();
    event.preventDefault();
  };
  const { isPanelOpen } = useEditorView();
  if (!isPanelOpen) return null;
  return (
    <aside
      className={styles['panel']}
      aria-label={t('editor.panel')}
      onKeyDown={({ key }) => key === 'Escape' && showOpenSegment()}
    >
      <div role="tablist" className={styles['tabs']} onKeyDown={onKeyDown}>
        {shown.map((one) => (
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
            {counts?.[one]}
          </button>
        ))}
      </div>
      <button
        type="button"
        className={`ghost ${styles['closePanel']}`}
        aria-label={t('editor.close_panel')}
        onClick={togglePanel}
      >
        <X size={17} aria-hidden />
      </button>
      <div
        role="tabpanel"
        id={`${id}-panel`}
        aria-labelledby={`${id}-${tab}`}
        tabIndex={0}
        className={styles['tabPanel']}
      >
        <Suspense fallback={<Loading lines={4} />}>{contents[tab]}</Suspense>
      </div>
      {children}
    </aside>
  );
}
