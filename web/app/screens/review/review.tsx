import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useT } from '../../i18n.tsx';
import { useCommands } from '../../keys/use-commands.ts';
import { announce } from '../../parts/announcer.tsx';
import { type CriticalFinding, criticalFindingsOf } from '../../parts/critical-findings-of.ts';
import { ConfirmCritical } from '../../parts/critical-findings.tsx';
import { LeftOutDialog } from '../../parts/left-out.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Problem, problemText } from '../../parts/problem.tsx';
import { BulkBar } from './bulk-bar.tsx';
import type { Action, Sent } from './decision.ts';
import type { Filters } from './filters.ts';
import { ItemPane, jobQuery, type OpenItem } from './item-pane.tsx';
import { itemOfSummary } from './items.ts';
import { useOutbox, useSent } from './outbox-provider.tsx';
import { QueueFilters } from './queue-filters.tsx';
import { focusRow, QueueList } from './queue-list.tsx';
import { RejectDialog } from './reject-dialog.tsx';
import styles from './review.module.css';
import { Undo, type Undoable } from './undo.tsx';
import { claimFirst, useClaims } from './use-claims.ts';
import { nextFree, type Row, useQueue } from './use-queue.ts';
import { useSelection } from './use-selection.ts';
import { useWorkTime, workedAt } from './work-time.ts';

/**
 * Jobs after the open one that are loaded ahead: the next `whole` jobs in any case, and of the next `long` jobs those
 * whose texts are incomplete in the list.
 */
const readAhead = { whole: 2, long: 8 };

/** Milliseconds after which the URL is changed to that of the open item. */
const addressAfter = 150;

/** After the last review was saved, milliseconds without another review until "all saved" is announced. */
const pauseBeforeSaved = 1500;

/** `/app/edit/texts`: the review screen with the queue, the open job, and its context. */
export function ReviewScreen() {
  const t = useT();
  const navigate = useNavigate();
  const { item: addressed, ...filters } = useSearch({ from: '/workspace/app/edit/texts' });
  const [openId, setOpenId] = useState(addressed);
  const { rows, openAt, hasMore, waiting, isWaiting, error, refetch, fetchMore } = useQueue(filters, openId);
  const open = rows[openAt];
  const outbox = useOutbox();
  const sent = useSent();
  const editor = useRef<OpenItem>(null);
  const list = useRef<HTMLUListElement>(null);
  const search = useRef<HTMLInputElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  /** Whether the focus moves to the text field when another item is shown; otherwise it moves to the list. */
  const inField = useRef(false);
  const [rejecting, setRejecting] = useState(false);
  const selection = useSelection(rows);
  const [critical, setCritical] = useState<{ sent: Sent; findings: CriticalFinding[] }>();
  const [undoable, setUndoable] = useState<Undoable>();
  const endUndo = useCallback(
    (over: Undoable) => setUndoable((offered) => (offered === over ? undefined : offered)),
    [],
  );

  const isHeld = ({ summary }: Row) =>
    summary.claimed_by.length > 0 || (held.get(summary.id) ?? 0) > Date.now();
  const upcoming = nextFree(rows, openAt, ({ summary }) => summary.claimed_by.length === 0);
  const { others, held } = useClaims(openId, upcoming?.summary.id);
  useReadAhead(rows, openAt);
  useWorkTime(openId);
  useEffect(() => void outbox.dropSentDrafts().catch(() => undefined), [outbox]);

  const show = (id: string | undefined, to: 'field' | 'list') => {
    inField.current = to === 'field';
    setOpenId(id);
    if (id && to === 'list') focusRow(list.current, id);
  };
  const toList = () => {
    inField.current = false;
    focusRow(list.current, openId);
  };
  // The URL names the open job, so that a reload or a shared link opens the same job.
  const written = useRef(new Set([addressed]));
  useEffect(() => {
    written.current.add(openId);
    // The router is slow, so the URL changes after the item was painted.
    const timer = setTimeout(() => {
      // The member is already going to another screen.
      if (!location.pathname.endsWith('/app/edit/texts')) return;
      void navigate({
        to: '/app/edit/texts',
        search: ({ item: _, ...others }) => ({ ...others, ...(openId && { item: openId }) }),
        replace: true,
        resetScroll: false,
      });
    }, addressAfter);
    return () => clearTimeout(timer);
  }, [openId, navigate]);
  useEffect(() => {
    // The member followed a link to another job while this screen was open.
    if (!written.current.has(addressed)) setOpenId(addressed);
  }, [addressed]);
  // If the URL names no job, the first job that no one has claimed is opened. The service cannot select it with a text
  // filter; then the first row of the list is opened.
  const { source, target, trigger, text } = filters;
  const begun = useRef(openId !== undefined);
  const first = rows.find((row) => !row.back && !isHeld(row))?.summary.id;
  useEffect(() => {
    if (begun.current || !first) return;
    begun.current = true;
    const given = text ? undefined : claimFirst({ source, target, trigger }).catch(() => first);
    void Promise.resolve(given).then((id) => setOpenId((open) => open ?? id ?? first));
  }, [first, source, target, trigger, text]);

  const isTyping = () => document.activeElement?.matches('[data-edited]') ?? false;
  const { sending, done } = useSaved(sent);
  const handled = sending + done;
  /** Shows the next item immediately, before the review is sent. */
  const goOn = (said: string) => {
    const next = nextFree(rows, openAt, (row) => !isHeld(row));
    const at = next ? rows.indexOf(next) : -1;
    if (next) {
      // The completed item is no longer in the list, but the announced position counts it.
      const place = handled + at + (at < openAt ? 2 : 1);
      announce(`${said} ${t('review.next_of', { place, count: handled + rows.length })}`);
    } else announce(`${said} ${t('review.all_done')}`);
    show(next?.summary.id, isTyping() ? 'field' : 'list');
    if (!next) heading.current?.focus();
  };
  const report = (outcome: Sent | undefined) => {
    if (!outcome) return;
    const findings = criticalFindingsOf(outcome.error);
    if (findings) setCritical({ sent: outcome, findings });
    if (outcome.state === 'changed') announce(t('review.came_back_changed'));
    if (outcome.state === 'refused' && !findings)
      announce(t('review.came_back', { problem: problemText(outcome.error, t) }));
  };
  /** The open item if a decision about it is possible. Otherwise announces why not, and returns undefined. */
  const decidable = (action: Action): OpenItem | undefined => {
    const opened = editor.current;
    if (!opened?.isReady) announce(t('review.not_now'));
    // There is an unsent change on this device that the reviewer has not restored or discarded; a decision would delete
    // it.
    else if (opened.showUndecided()) announce(t('review.decide_draft'));
    else if (action === 'approve' && opened.text.trim() === '') announce(t('review.empty'));
    else return opened;
    return undefined;
  };
  const decide = (action: Action, notes?: string) => {
    const opened = decidable(action);
    if (!opened) return false;
    const { item, text } = opened;
    const decision = { item, action, text, notes, workedMs: workedAt(item.id) };
    const outcome = outbox.send(decision, opened.saving());
    void outcome.then(report);
    setUndoable({ id: item.id, action, outcome });
    goOn(t(action === 'approve' ? 'review.approving' : 'review.rejecting'));
    return true;
  };
  /**
   * The reason for a rejection that could not be sent, because the item could no longer be decided when the reason was
   * entered.
   */
  const [unsent, setUnsent] = useState<{ id: string | undefined; notes: string }>();
  const reasonBefore = () => {
    if (unsent?.id === openId && selection.ids.size === 0) return unsent?.notes;
    const meant =
      selection.ids.size > 0 ? rows.filter(({ summary }) => selection.ids.has(summary.id)) : [open];
    return meant.find((row) => row?.back?.notes)?.back?.notes;
  };
  const askWhy = () => {
    if (selection.ids.size > 0 || decidable('reject')) setRejecting(true);
  };
  const move = (step: 1 | -1, to: 'field' | 'list') => {
    const row = rows[Math.min(Math.max(openAt + step, 0), rows.length - 1)];
    if (row) show(row.summary.id, to);
  };
  const approve = () =>
    selection.ids.size > 0 ? void selection.act('approve', editor.current) : void decide('approve');

  useCommands({
    approve: () => void decide('approve'),
    save: () => void editor.current?.save(),
    nextItem: () => move(1, isTyping() ? 'field' : 'list'),
    previousItem: () => move(-1, isTyping() ? 'field' : 'list'),
    nextMatch: () => editor.current?.walkMatches(1),
    previousMatch: () => editor.current?.walkMatches(-1),
    putBack: () => editor.current?.putBack(),
    toList,
    listDown: () => move(1, 'list'),
    listUp: () => move(-1, 'list'),
    open: () => editor.current?.focus(),
    approveInList: approve,
    reject: askWhy,
    select: () => openId && selection.toggle(openId),
    selectDown: () => {
      if (openId) selection.add(openId, rows[openAt + 1]?.summary.id);
      move(1, 'list');
    },
    selectUp: () => {
      if (openId) selection.add(openId, rows[openAt - 1]?.summary.id);
      move(-1, 'list');
    },
    showDiff: () => editor.current?.toggleDiff(),
    find: () => {
      inField.current = false;
      const field = search.current;
      if (field) (field.closest('details') as HTMLDetailsElement).open = true;
      field?.focus();
    },
  });

  const setFilters = (next: Filters) =>
    void navigate({
      to: '/app/edit/texts',
      search: { ...next, ...(openId && { item: openId }) },
      replace: true,
    });
  return (
    <>
      <title>{`${t('review.title')} · LinguaLoop`}</title>
      <div className={styles.screen}>
        <section className={styles.queue} aria-labelledby="queue">
          <h1 id="queue" ref={heading} tabIndex={-1}>
            {t('review.title')}
          </h1>
          <p className="hint">
            {t('review.waiting', { count: waiting.count, more: waiting.more ? 'yes' : 'no' })}
            {sending > 0 && ` · ${t('review.sending', { count: sending })}`}
            {done > 0 && ` · ${t('review.done', { count: done })}`}
          </p>
          {undoable && (
            <Undo
              key={undoable.id}
              undoable={undoable}
              onOver={endUndo}
              onUndone={(id) => {
                endUndo(undoable);
                show(id, 'field');
              }}
            />
          )}
          <QueueFilters filters={filters} search={search} onChange={setFilters} onLeave={toList} />
          <BulkBar selection={selection} onApprove={approve} onReject={askWhy} />
          {error ? <Problem error={error} retry={() => void refetch()} /> : null}
          {isWaiting && !error && <Loading lines={10} />}
          {!isWaiting && rows.length === 0 && <Empty isFiltered={Object.keys(filters).length > 0} />}
          <QueueList
            rows={rows}
            openId={openId}
            selected={selection.ids}
            held={held}
            list={list}
            onOpen={(id) => {
              show(id, 'field');
              if (id === openId) editor.current?.focus();
            }}
            onSelect={selection.toggle}
          />
          {hasMore && (
            <button type="button" onClick={fetchMore}>
              {t('review.more')}
            </button>
          )}
        </section>
        {openId && (
          <ItemPane
            key={openId}
            id={openId}
            summary={open?.summary}
            back={open?.back}
            others={others}
            wantsFocus={inField}
            onNext={() => goOn('')}
            ref={editor}
          >
            <div className={styles.actions}>
              <button type="button" className="primary" onClick={() => decide('approve')}>
                {t('review.approve')}
              </button>
              <button type="button" onClick={() => void editor.current?.save()}>
                {t('review.save')}
              </button>
              <button type="button" className="danger" onClick={askWhy}>
                {t('review.reject')}
              </button>
            </div>
          </ItemPane>
        )}
      </div>
      {critical && (
        <ConfirmCritical
          name={excerptOf(critical.sent)}
          findings={critical.findings}
          onClose={() => setCritical(undefined)}
          onConfirm={async () => {
            const outcome = outbox.send({ ...critical.sent, confirmCritical: true });
            setUndoable({ id: critical.sent.item.id, action: critical.sent.action, outcome });
            report(await outcome);
          }}
        />
      )}
      {selection.leftOut.length > 0 && (
        <LeftOutDialog
          items={selection.leftOut.flatMap(({ item, leftOut }) =>
            leftOut ? { id: item.id, name: (item.target ?? item.id).slice(0, 80), ...leftOut } : [],
          )}
          onApprove={selection.approveLeftOut}
          onClose={selection.closeLeftOut}
        />
      )}
      {rejecting && (
        <RejectDialog
          count={selection.ids.size || 1}
          initial={reasonBefore()}
          onClose={() => setRejecting(false)}
          onReject={(notes) => {
            setRejecting(false);
            if (selection.ids.size > 0) void selection.act('reject', editor.current, notes);
            else setUnsent(decide('reject', notes) ? undefined : { id: openId, notes });
          }}
        />
      )}
    </>
  );
}

function Empty({ isFiltered }: { isFiltered: boolean }) {
  const t = useT();
  if (isFiltered)
    return (
      <p>
        {t('review.none_found')}{' '}
        <Link to="/app/edit/texts" search={{}}>
          {t('review.clear_filters')}
        </Link>
      </p>
    );
  return (
    <p>
      {t('review.nothing_waits')} <Link to="/app">{t('common.home')}</Link>
    </p>
  );
}

/**
 * Returns the number of reviews that are being sent and the number that are saved. Announces "all saved" when nothing
 * is being sent and the reviewer pauses.
 */
function useSaved(sent: ReadonlyMap<string, Sent>): { sending: number; done: number } {
  const t = useT();
  const count = (wanted: Sent['state']) => [...sent.values()].filter(({ state }) => state === wanted).length;
  const [sending, done] = [count('sending'), count('done')];
  const told = useRef(done);
  useEffect(() => {
    if (sending > 0 || done <= told.current) return;
    const timer = setTimeout(() => {
      announce(t('review.all_saved', { count: done - told.current }));
      told.current = done;
    }, pauseBeforeSaved);
    return () => clearTimeout(timer);
  }, [sending, done, t]);
  return { sending, done };
}

/** Loads the next jobs before they are opened. See `readAhead`. */
function useReadAhead(rows: readonly Row[], openAt: number): void {
  const queryClient = useQueryClient();
  const ids = rows
    .slice(openAt + 1, openAt + 1 + readAhead.long)
    .filter(({ summary }, index) => index < readAhead.whole || !itemOfSummary(summary))
    .map(({ summary }) => summary.id)
    .join(' ');
  useEffect(() => {
    for (const id of ids.split(' ').filter(Boolean))
      void queryClient.prefetchQuery({ ...jobQuery(id), staleTime: 60_000 });
  }, [ids, queryClient]);
}

/**
 * The beginning of the decided text, for a message about the decision: when the response arrives, another item is
 * already open.
 */
function excerptOf({ item, text }: Sent): string {
  const whole = text ?? item.target ?? item.id;
  return whole.length > 200 ? `${whole.slice(0, 200)}…` : whole;
}
