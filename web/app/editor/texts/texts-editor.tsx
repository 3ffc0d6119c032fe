import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo, useRef, useState } from 'react';
import { useT } from '../../i18n.tsx';
import { useCommands } from '../../keys/use-commands.ts';
import { Read } from '../../parts/loading.tsx';
import bars from '../bars.module.css';
import styles from '../editor.module.css';
import { EditorFoot } from '../editor-foot.tsx';
import type { OpenField } from '../open-segment.tsx';
import { OpeningBars } from '../opening-bars.tsx';
import { SegmentGrid } from '../segment-grid.tsx';
import { StatusFilters } from '../status-filters.tsx';
import type { TextFilter, TextSearch } from './filters.ts';
import { NoTexts } from './no-texts.tsx';
import { OpenText } from './open-text.tsx';
import { TextDialog } from './text-dialog.tsx';
import { TextFilters } from './text-filters.tsx';
import { TextHead } from './text-head.tsx';
import { isDecidable } from './text-list.ts';
import { TextPanel } from './text-panel.tsx';
import { useClaims } from './use-claims.ts';
import { useFresh } from './use-fresh.ts';
import { useGoingOn } from './use-going-on.ts';
import { useOpenText } from './use-open-text.ts';
import { commonLanguages, countStatuses, holdersOf, useShown } from './use-shown.ts';
import { useTextDecisions } from './use-text-decisions.ts';
import { useTexts } from './use-texts.ts';
import { useWorkTime } from './work-time.ts';

/** `/app/edit/texts`: the texts that await review, one of them open in its place. */
export function TextsEditorScreen() {
  const t = useT();
  const search = useSearch({ from: '/workspace/app/edit/texts' });
  const { item: _, status: __, ...filter } = search;
  return (
    <>
      <title>{`${t('review.title')} · LinguaLoop`}</title>
      <TextsEditor key={JSON.stringify(filter)} search={search} filter={filter} />
    </>
  );
}

const noop = () => undefined;

function TextsEditor({ search, filter }: { search: TextSearch; filter: TextFilter }) {
  const t = useT();
  const navigate = useNavigate();
  const { item, status } = search;
  const texts = useTexts(filter, item);
  const { list, segments } = texts;
  const mayFollow = !texts.isComplete && segments.length > 0;
  const range = useShown(segments, status);
  const decisions = useTextDecisions(list);
  const { saves, drafts } = decisions;
  const opener = useOpenText({ list, range, filter, saves, search });
  const { open, segment, upcoming, openAt, move } = opener;
  const goOn = useGoingOn(texts, opener);
  const setVisible = useFresh(list, filter, range, texts.isLong);
  const { others, held } = useClaims(segment?.id, upcoming?.id);
  useWorkTime(segment?.id);
  const field = useRef<OpenField>(null);
  const searchField = useRef<HTMLInputElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const [dialog, setDialog] = useState<Parameters<typeof TextDialog>[0]['kind']>();
  const holders = useMemo(() => holdersOf(segments, held), [segments, held]);
  const outline = useMemo(() => countStatuses(segments), [segments]);
  const languages = useMemo(() => commonLanguages(segments), [segments]);
  const askWhy = () => segment && isDecidable(segment) && setDialog('reject');
  useCommands({
    nextItem: () => move(1),
    previousItem: () => move(-1),
    listDown: () => move(1, false),
    listUp: () => move(-1, false),
    open: () => field.current?.focus(),
    reject: askWhy,
    undoDecision: () => void decisions.undo(),
    redoDecision: () => void decisions.redo(),
    save: () => void saves.flush(),
    find: () => searchField.current?.focus(),
    findText: () => searchField.current?.focus(),
    toList: () => body.current?.querySelector<HTMLElement>('[role=grid]')?.focus(),
  });
  const setFilter = (next: Omit<TextSearch, 'item'>) =>
    void navigate({ to: '/app/edit/texts', search: next, replace: true });
  return (
    <div className={styles['editor']} data-editor>
      <TextHead
        segments={segments}
        languages={languages}
        hasMore={texts.hasMore && mayFollow}
        others={others}
        onApprove={() => setDialog('approve')}
        onReject={() => setDialog('rejectAll')}
      />
      <div className={bars['bars']}>
        <OpeningBars
          saves={saves}
          openPosition={segment?.position}
          next="none"
          late={null}
          onOpen={openAt}
          onRetry={noop}
        />
      </div>
      <StatusFilters
        outline={outline}
        filter={{ ...(status && { status }), ...(filter.text && { text: filter.text }) }}
        search={searchField}
        onChange={({ status: wanted, text }) => {
          const { text: _, ...rest } = filter;
          setFilter({ ...rest, ...(wanted && { status: wanted }), ...(text && { text }) });
        }}
      >
        <TextFilters filter={filter} onChange={setFilter} />
        {texts.hasMore && (
          <button type="button" className="small" onClick={texts.loadMore}>
            {t('review.more')}
          </button>
        )}
      </StatusFilters>
      <div ref={body} className={styles['body']}>
        <Read
          from={{ data: texts.isLoading ? undefined : range, error: texts.error, refetch: texts.refetch }}
          lines={20}
        >
          {(range) =>
            range.total === 0 ? (
              <NoTexts search={search} onMore={texts.hasMore ? texts.loadMore : null} />
            ) : (
              <SegmentGrid
                key={status}
                range={range}
                saves={saves}
                languages={languages}
                languagesOf={({ languages }) => languages}
                sought={filter.text}
                open={open}
                holders={holders}
                onOpen={openAt}
                onMove={(step) => move(step, false)}
                onVisible={setVisible}
                renderOpen={(one) => (
                  <OpenText
                    key={one.id}
                    segment={one}
                    list={list}
                    saves={saves}
                    drafts={drafts}
                    sought={filter.text}
                    field={field}
                    takesFocus={open?.takesFocus}
                    onReject={askWhy}
                    onConfirmed={() => goOn(t('editor.confirmed', { number: one.position + 1 }))}
                  />
                )}
              />
            )
          }
        </Read>
        <TextPanel segment={segment} segments={segments} field={field} onOpen={openAt} />
      </div>
      <EditorFoot
        outline={outline}
        hasMore={mayFollow}
        saves={saves}
        canUndo={decisions.canUndo}
        canConfirm={segment !== undefined}
      />
      {dialog && (
        <TextDialog
          kind={dialog}
          list={list}
          segments={range.segments}
          segment={segment}
          decisions={decisions}
          hasMore={!texts.isComplete}
          onRejected={({ position }) => goOn(t('editor.rejected', { number: position + 1 }))}
          onClose={() => setDialog(undefined)}
        />
      )}
    </div>
  );
}
