import { X } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, type RefObject, Suspense, useId, useState } from 'react';
import { type MessageId, useT } from '../i18n.tsx';
import { useCommands } from '../keys/use-commands.ts';
import { useFormat } from '../parts/format.ts';
import { lazily } from '../parts/lazily.tsx';
import { Loading } from '../parts/loading.tsx';
import { maxTextLength } from '../parts/searched-text.ts';
import { isVisitor } from '../session/keeper.ts';
import { NewTerm } from '../terms/new-term.tsx';
import type { Commented } from './comment-drafts.ts';
import styles from './editor.module.css';
import { showOpenSegment, togglePanel, useEditorView } from './editor-view.ts';
import type { Languages } from './marks.ts';
import { MemoryTab, otherSide, type Sought } from './memory-tab.tsx';
import type { OpenField } from './open-segment.tsx';
import type { Counts } from './row-source.ts';
import type { EditedSegment } from './segment.ts';
import { plainOf } from './tagged-text.ts';
import { useMatches, useTerms } from './use-segment-data.ts';

const TermsTab = lazily(async () => ({ default: (await import('./terms-tab.tsx')).TermsTab }));
const CommentsTab = lazily(async () => ({ default: (await import('./comments-tab.tsx')).CommentsTab }));

const tabs = ['terms', 'memory', 'issues', 'comments', 'history'] as const;

type Tab = (typeof tabs)[number];

/** The tabs for visitors of the demo workspace. The others need requests that are closed to them. */
const visitorTabs: readonly Tab[] = ['issues', 'history'];

const shownTabs = () => (isVisitor() ? visitorTabs : tabs);

const storedTab = 'lingualoop-editor-tab';

/**
 * Tabs with terms, matches, findings, comments and history of a row of the editor, and something below them. A tab names
 * the number of its entries.
 */
export function SidePanel({
  segment,
  languages,
  field,
  outline,
  about,
  issues,
  history,
  children,
}: {
  /** Undefined if no row is open. */
  segment: EditedSegment | undefined;
  languages: Languages | undefined;
  field: RefObject<OpenField | null>;
  outline: Counts | undefined;
  /** The subject of the comments. */
  about: Commented | undefined;
  issues: ReactNode;
  history: ReactNode;
  /** Shown below the tabs. */
  children?: ReactNode;
}) {
  const { isPanelOpen } = useEditorView();
  const row = segment && languages && { segment, languages };
  const { critical = 0, warning = 0 } = outline?.statuses ?? {};
  const [tab, select] = useTab();
  const [found, setFound] = useState<Sought & { position: number }>();
  const position = segment?.position ?? -1;
  // Another segment has other words.
  const sought = found?.position === position ? found : undefined;
  // The field is there before the panel follows.
  const search = (next: Sought) => setFound({ ...next, position: field.current?.position ?? position });
  useCommands({
    concordance: async () => {
      if (!languages || isVisitor()) return;
      const words = await wordsToSearch(languages.target);
      const isAgain = sought && (words === undefined || words.text === sought.text);
      const next = isAgain ? otherSide(sought) : words;
      if (next) search(next);
      if (!isPanelOpen) togglePanel();
      select('memory');
    },
  });
  return (
    <>
      {row && !isVisitor() && <NewTerm key={row.segment.position} {...row.languages} />}
      {isPanelOpen && (
        <Tabs
          tab={tab}
          select={select}
          counts={{
            terms: row && <TermCount {...row} />,
            memory: row && <MatchCount {...row} />,
            issues: <Count of={critical + warning} isCritical={critical > 0} />,
          }}
          contents={{
            terms: row && <TermsTab {...row} field={field} />,
            memory: row && <MemoryTab {...row} field={field} sought={sought} onSearch={search} />,
            issues,
            comments: about && <CommentsTab key={JSON.stringify(about)} about={about} />,
            history,
          }}
        >
          {children}
        </Tabs>
      )}
    </>
  );
}

interface OfSegment {
  segment: EditedSegment;
  languages: Languages;
}

/** The number of glossary terms in a segment. */
function TermCount({ segment, languages }: OfSegment) {
  return <Count of={useTerms(segment, languages).length} />;
}

/** The number of TM matches of a segment. */
function MatchCount({ segment, languages }: OfSegment) {
  return <Count of={useMatches(segment, languages).data?.matches.length ?? 0} />;
}

/** A number in the label of a tab; nothing for 0. */
function Count({ of, isCritical = false }: { of: number; isCritical?: boolean }) {
  const { number } = useFormat();
  return of > 0 ? <b data-critical={isCritical || undefined}>{number(of)}</b> : null;
}

/** The words for a search of the TM: the selected ones, or the one at the caret. */
async function wordsToSearch(language: string): Promise<Sought | undefined> {
  const active = document.activeElement;
  if (active instanceof HTMLTextAreaElement && active.matches('[data-edited]')) {
    const { wordsAtCaret } = await import('./change-case.ts');
    const { start, end } = wordsAtCaret(active, language);
    const text = plainOf(active.value.slice(start, end), null).trim();
    if (text !== '') return { text: text.slice(0, maxTextLength), side: 'target' };
  }
  const selected = getSelection();
  const node = selected?.anchorNode;
  const element = node instanceof Element ? node : node?.parentElement;
  const text = plainOf(selected?.toString() ?? '', null).trim();
  if (text === '' || !element?.closest('[data-source]')) return undefined;
  return { text: text.slice(0, maxTextLength), side: 'source' };
}

/** The selected tab, which this device remembers. */
function useTab() {
  const [tab, setTab] = useState<Tab>(
    () =>
      shownTabs().find((one) => one === localStorage.getItem(storedTab)) ??
      (isVisitor() ? 'issues' : 'memory'),
  );
  const select = (next: Tab) => {
    localStorage.setItem(storedTab, next);
    setTab(next);
  };
  return [tab, select] as const;
}

function Tabs({
  tab,
  select,
  contents,
  counts,
  children,
}: {
  tab: Tab;
  select: (tab: Tab) => void;
  /** The content of each tab; only that of the selected tab is in the page. */
  contents: Record<Tab, ReactNode>;
  /** Shown in the labels of tabs. */
  counts: Partial<Record<Tab, ReactNode>>;
  children: ReactNode;
}) {
  const t = useT();
  const id = useId();
  const shown = shownTabs();
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
            {counts[one]}
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
