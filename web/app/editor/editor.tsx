import {
  Fragment,
  type ReactNode,
  type RefObject,
  Suspense,
  useDeferredValue,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { type Item, useAssignments } from '../assignments/assignments.ts';
import { loadWords, useT } from '../i18n.tsx';
import { CommandKey } from '../keys/command-key.tsx';
import { useCommands } from '../keys/use-commands.ts';
import { announce } from '../parts/announcer.tsx';
import { lazily } from '../parts/lazily.tsx';
import { Read } from '../parts/loading.tsx';
import { isVisitor } from '../session/keeper.ts';
import styles from './editor.module.css';
import { EditorFoot } from './editor-foot.tsx';
import { type OpenField, OpenSegment, type OpenSegmentProps } from './open-segment.tsx';
import type { RowSource } from './row-source.ts';
import type { EditedSegment } from './segment.ts';
import { SegmentGrid } from './segment-grid.tsx';
import { stuckPositions } from './segment-saves.ts';
import { StatusFilters } from './status-filters.tsx';
import { storeAll } from './store-all.ts';
import { useUnsavedText } from './unsaved.tsx';

const Turn = lazily(async () => {
  const [{ Turn: turn }] = await Promise.all([import('../assignments/turn.tsx'), loadWords('assignments')]);
  return { default: turn };
});

/** The turn of an item; loaded for an item that is assigned, or when the member assigns it. */
function TurnBar(props: { item: Item; store: () => Promise<unknown> }) {
  const { data: [assignment] = [] } = useAssignments([props.item]);
  const [asked, setAsked] = useState<'first' | 'due'>();
  useCommands({ assign: () => setAsked('first'), setDue: () => setAsked('due') });
  if (!asked && !assignment?.assignee && !assignment?.four_eyes && !assignment?.due_at) return null;
  return (
    <Suspense>
      <Turn {...props} firstAsked={asked} />
    </Suspense>
  );
}

interface EditorProps<Row extends EditedSegment> {
  source: RowSource<Row>;
  head: ReactNode;
  /** Shown above the filters. */
  notices?: ReactNode;
  /** The item whose assignment is shown; undefined if it does not await review. */
  turn?: Item | undefined;
  /** Further filters. */
  filters: ReactNode;
  /** Whether translations can be replaced. */
  canReplace?: boolean;
  /** Whether the search can be a regular expression. */
  hasPatterns?: boolean;
  /** Shown in place of the grid if it has no rows. By default, an empty grid is shown. */
  empty?: ReactNode;
  /** The open row. */
  renderOpen?: (props: OpenSegmentProps<Row>) => ReactNode;
  /** The side panel, with information about a row. */
  renderPanel: (row: Row | undefined, field: RefObject<OpenField | null>) => ReactNode;
}

/** The rows of a source in a grid, one of them open in its place, with their filters, keyboard shortcuts and side panel. */
export function Editor<Row extends EditedSegment>({
  source,
  head,
  notices,
  turn,
  filters,
  canReplace,
  hasPatterns,
  empty,
  renderOpen = (props) => <OpenSegment {...props} />,
  renderPanel,
}: EditorProps<Row>) {
  const t = useT();
  const { rows, filter, row, open, move, saves } = source;
  const field = useRef<OpenField>(null);
  const search = useRef<HTMLInputElement>(null);
  const body = useRef<HTMLDivElement>(null);
  // The panel follows after the field is shown: its matches and the page take longer than the field.
  const shown = useDeferredValue(row);
  useCommands({
    nextItem: () => move(1),
    previousItem: () => move(-1),
    nextFinding: () => source.moveToFinding(1),
    previousFinding: () => source.moveToFinding(-1),
    listDown: () => move(1, false),
    listUp: () => move(-1, false),
    open: () => field.current?.focus(),
    undoDecision: source.undo,
    redoDecision: source.redo,
    save: () => void saves.flush(),
    find: () => search.current?.focus(),
    toList: () => body.current?.querySelector<HTMLElement>('[role=grid]')?.focus(),
    findText: () => search.current?.focus(),
  });
  return (
    <div className={styles['editor']} data-editor>
      {head}
      <div className={styles['bars']}>
        {notices}
        {turn && !isVisitor() && <TurnBar key={turn.id} item={turn} store={() => storeAll(saves)} />}
        <OpeningBars source={source} />
      </div>
      <StatusFilters source={source} search={search} canReplace={canReplace} hasPatterns={hasPatterns}>
        {filters}
      </StatusFilters>
      <div ref={body} className={styles['body']}>
        <Read from={rows} lines={20}>
          {(range) =>
            range.total === 0 && empty ? (
              <div className={styles['message']}>{empty}</div>
            ) : (
              <SegmentGrid
                key={JSON.stringify(filter)}
                source={source}
                range={range}
                renderOpen={(segment) => (
                  <Fragment key={segment.position}>
                    {renderOpen({
                      segment,
                      source,
                      field,
                      takesFocus: open?.takesFocus,
                      onConfirmed: () => source.goOn(t('editor.confirmed', { number: segment.position + 1 })),
                    })}
                  </Fragment>
                )}
              />
            )
          }
        </Read>
        <TypeAhead isActive={source.next !== 'none'} field={field} />
        {renderPanel(shown, field)}
      </div>
      <EditorFoot source={source} />
    </div>
  );
}

/**
 * Takes the keys that a reviewer types after a confirmation, until the next segment is open, and inserts them there.
 * Without it, they would change the confirmed segment. It is a field, so that input methods work too.
 */
function TypeAhead({ isActive, field }: { isActive: boolean; field: RefObject<OpenField | null> }) {
  const t = useT();
  const element = useRef<HTMLTextAreaElement>(null);
  const typed = useRef('');
  const wasActive = useRef(false);
  useEffect(() => {
    if (isActive && !wasActive.current) element.current?.focus();
    if (!isActive && wasActive.current) {
      field.current?.focus();
      if (typed.current !== '') field.current?.insert(typed.current);
      typed.current = '';
    }
    wasActive.current = isActive;
  }, [isActive, field]);
  if (!isActive) return null;
  return (
    <textarea
      ref={element}
      className="visually-hidden"
      aria-label={t('editor.opening_next')}
      onInput={({ currentTarget }) => {
        typed.current = currentTarget.value;
      }}
    />
  );
}

/**
 * Offers to open a segment whose edit the service did not store, or that was found late. Neither is opened
 * automatically, because the reviewer may be typing in another one.
 */
function OpeningBars({
  source: { saves, row, next, late, openAt, moveToNextOpen },
}: {
  source: Pick<RowSource, 'saves' | 'row' | 'next' | 'late' | 'openAt' | 'moveToNextOpen'>;
}) {
  const t = useT();
  const textOf = useUnsavedText();
  const edits = useSyncExternalStore(saves.subscribe, saves.all);
  const stuck = stuckPositions(edits);
  const left = stuck.filter((position) => position !== row?.position);
  const known = useRef(new Set<number>());
  const tell = useEffectEvent((positions: readonly number[]) => {
    const fresh = positions.find((position) => !known.current.has(position));
    known.current = new Set(positions);
    if (fresh !== undefined) announce(t('editor.returned', { number: fresh + 1 }));
  });
  useEffect(() => tell(stuck));
  // As soon as the service has answered about the decision, it can also be asked for the next segment.
  const isWaiting = [...edits.values()].some(({ state }) =>
    ['typed', 'sending', 'waiting'].includes(state.kind),
  );
  const tryAgain = useEffectEvent(() => {
    if (isWaiting || next !== 'failed') return;
    if (row && stuck.includes(row.position)) openAt(row.position);
    else void moveToNextOpen();
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the service has answered
  useEffect(() => tryAgain(), [isWaiting]);
  const offered = left[0] ?? late;
  useCommands({ openUnsaved: () => offered !== null && openAt(offered) });
  return (
    <>
      {offered !== null && (
        <div className={styles['message']}>
          <span>{left.length > 0 ? textOf(left) : t('editor.late', { number: offered + 1 })}</span>
          <button type="button" className="small" onClick={() => openAt(offered)}>
            {t('editor.open_segment', { number: offered + 1 })} <CommandKey id="openUnsaved" />
          </button>
        </div>
      )}
      {next === 'failed' && (
        <div role="alert" className={styles['message']}>
          <span>{t('editor.next_failed')}</span>
          <button type="button" className="small" onClick={() => void moveToNextOpen()}>
            {t('common.retry')}
          </button>
        </div>
      )}
    </>
  );
}
