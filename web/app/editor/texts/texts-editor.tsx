import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { CheckCheck, CircleSlash } from 'lucide-react';
import { useState } from 'react';
import { useT } from '../../i18n.tsx';
import { useCommands } from '../../keys/use-commands.ts';
import { announce } from '../../parts/announcer.tsx';
import { useLanguages } from '../../parts/languages.tsx';
import { useAction } from '../../parts/use-action.ts';
import { ApprovePlan } from '../approve-plan.tsx';
import styles from '../editor.module.css';
import { Editor } from '../editor.tsx';
import { EditorHead } from '../editor-head.tsx';
import type { Languages } from '../marks.ts';
import { decideTogether, freeTexts } from './decide-together.ts';
import type { TextFilter, TextSearch } from './filters.ts';
import { OpenText } from './open-text.tsx';
import { RejectText, RejectTexts, useKnown } from './reject-text.tsx';
import { TextFilters } from './text-filters.tsx';
import type { TextList, TextSegment } from './text-list.ts';
import { TextPanel } from './text-panel.tsx';
import { useTextRows } from './text-rows.ts';
import { countStatuses } from './use-shown.ts';
import type { useTextDecisions } from './use-text-decisions.ts';

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

function TextsEditor({ search, filter }: { search: TextSearch; filter: TextFilter }) {
  const t = useT();
  const navigate = useNavigate();
  const setFilter = (next: Omit<TextSearch, 'item'>) =>
    void navigate({ to: '/app/edit/texts', search: next, replace: true });
  const { source, texts, range, decisions, mayFollow, others } = useTextRows(search, filter, setFilter);
  const { list, segments, hasMore, loadMore } = texts;
  const { row, goOn } = source;
  const [dialog, setDialog] = useState<Parameters<typeof TextDialog>[0]['kind']>();
  const askWhy = () => row && !source.isReadOnly(row) && setDialog('reject');
  const open = range.segments.filter(
    ({ id, confirmed_at }) => confirmed_at === null && texts.matching.has(id),
  );
  useCommands({ reject: askWhy });
  return (
    <>
      <Editor
        source={source}
        head={
          <TextHead
            segments={segments}
            languages={source.languages}
            hasMore={hasMore && mayFollow}
            others={others}
            open={open.length}
            onApprove={() => setDialog('approve')}
            onReject={() => setDialog('rejectAll')}
          />
        }
        turn={row && { kind: 'job', id: row.id }}
        filters={
          <>
            <TextFilters filter={filter} onChange={setFilter} />
            {hasMore && (
              <button type="button" className="small" onClick={loadMore}>
                {t('review.more')}
              </button>
            )}
          </>
        }
        empty={<NoTexts search={search} onMore={hasMore ? loadMore : null} />}
        renderOpen={(props) => (
          <OpenText {...props} list={list} drafts={decisions.drafts} onReject={askWhy} />
        )}
        renderPanel={(segment, field) => (
          <TextPanel
            segment={segment}
            segments={segments}
            outline={source.outline}
            field={field}
            onOpen={source.openAt}
          />
        )}
      />
      {dialog && (
        <TextDialog
          kind={dialog}
          list={list}
          open={open}
          segment={row}
          decisions={decisions}
          hasMore={!texts.isComplete}
          onRejected={({ position }) => goOn(t('editor.rejected', { number: position + 1 }))}
          onClose={() => setDialog(undefined)}
        />
      )}
    </>
  );
}

/** Shown if no text awaits review, or none matches the filters. @param onMore null if all texts were searched */
function NoTexts({
  search: { item: _, ...filters },
  onMore,
}: {
  search: TextSearch;
  onMore: (() => void) | null;
}) {
  const t = useT();
  if (onMore)
    return (
      <>
        {t('editor.none_so_far')}{' '}
        <button type="button" onClick={onMore}>
          {t('editor.search_on')}
        </button>
      </>
    );
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <>
      {t(isFiltered ? 'review.none_found' : 'review.nothing_waits')}{' '}
      {isFiltered ? (
        <Link to="/app/edit/texts" search={{}}>
          {t('review.clear_filters')}
        </Link>
      ) : (
        <Link to="/app">{t('editor.back')}</Link>
      )}
    </>
  );
}

/** The dialog of a decision about the open text, or about all shown ones. */
function TextDialog({
  kind,
  segment,
  onRejected,
  hasMore,
  ...all
}: {
  kind: 'approve' | 'reject' | 'rejectAll';
  list: TextList;
  /** The texts that all are decided together. */
  open: readonly TextSegment[];
  /** The open text. */
  segment: TextSegment | undefined;
  decisions: ReturnType<typeof useTextDecisions>;
  /** Whether texts follow that are not loaded. */
  hasMore: boolean;
  /** Called after the open text was rejected. */
  onRejected: (segment: TextSegment) => void;
  onClose: () => void;
}) {
  if (kind === 'approve') return <ApproveTexts {...all} hasMore={hasMore} />;
  if (kind === 'rejectAll') return <RejectTexts {...all} />;
  return (
    segment && (
      <RejectText
        onReject={async (notes) => {
          await all.decisions.reject(segment.position, notes);
          all.onClose();
          onRejected(segment);
        }}
        onClose={all.onClose}
      />
    )
  );
}

/** The head of the editor of texts: their number and languages, and the decisions about all. */
function TextHead({
  segments,
  languages,
  hasMore,
  others,
  open,
  onApprove,
  onReject,
}: {
  segments: readonly TextSegment[];
  /** The languages of all texts; undefined if they differ. */
  languages: Languages | undefined;
  hasMore: boolean;
  /** Names of colleagues who have the open text open. */
  others: readonly string[];
  /** The number of texts that are decided together. */
  open: number;
  onApprove: () => void;
  onReject: () => void;
}) {
  const t = useT();
  const { nameOf } = useLanguages();
  return (
    <EditorHead
      format={
        <span className={`format ${styles['format']}`} data-format="text">
          {t('inbox.text')}
        </span>
      }
      title={t('editor.texts', { count: segments.length, more: hasMore ? 'yes' : 'no' })}
      pair={
        languages && t('documents.pair', { from: nameOf(languages.source), to: nameOf(languages.target) })
      }
      others={others}
    >
      <button
        type="button"
        className="ghost"
        aria-label={t('editor.reject_all', { count: open })}
        onClick={onReject}
        disabled={open === 0}
      >
        <CircleSlash size={16} aria-hidden />
        <span className={styles['label']}>{t('editor.reject_all', { count: open })}</span>
      </button>
      <button type="button" onClick={onApprove} disabled={open === 0}>
        <CheckCheck size={16} aria-hidden />
        <span className={styles['label']}>{t('editor.approve_all', { count: open })}</span>
      </button>
    </EditorHead>
  );
}

/**
 * Lists what an approval of all shown texts publishes and what it leaves out, then does it. Critical texts, those that a
 * colleague has open and those with edits that are not stored are never approved together.
 */
function ApproveTexts({
  list,
  open: present,
  decisions: { saves, remember },
  hasMore,
  onClose,
}: {
  list: TextList;
  open: readonly TextSegment[];
  decisions: Pick<ReturnType<typeof useTextDecisions>, 'saves' | 'remember'>;
  /** Whether texts follow that are not loaded. */
  hasMore: boolean;
  onClose: () => void;
}) {
  const t = useT();
  const [withWarnings, setWithWarnings] = useState(false);
  const { run, error, isBusy } = useAction();
  const open = useKnown(present);
  const free = freeTexts(open);
  const { todo, draft, warning, critical } = countStatuses(free).statuses;
  const statuses = ['todo', 'draft', ...(withWarnings ? ['warning'] : [])];
  const approve = run(async () => {
    await saves.flush();
    const unsent = saves.all();
    const chosen = free
      .map(({ position }) => list.at(position))
      .filter(({ position, status, confirmed_at }) => {
        return confirmed_at === null && statuses.includes(status) && !unsent.has(position);
      });
    const count = await decideTogether(list, chosen, { action: 'approve' }, remember);
    announce(t('editor.approved_texts', { count, left: open.length - count }));
    onClose();
  });
  const count = todo + draft + (withWarnings ? warning : 0);
  const held = open.length - free.length;
  return (
    <ApprovePlan
      title={t('editor.approve_texts')}
      clean={{ text: t('editor.plan_texts_clean', { count: todo + draft }), hint: t('editor.plan_unread') }}
      warnings={warning > 0 ? t('editor.plan_texts_warnings', { count: warning }) : undefined}
      left={[
        ...(critical > 0
          ? [
              {
                text: t('editor.plan_texts_critical', { count: critical }),
                hint: t('editor.plan_texts_never'),
              },
            ]
          : []),
        ...(held > 0 ? [{ text: t('editor.plan_texts_held', { count: held }) }] : []),
      ]}
      withWarnings={withWarnings}
      onWithWarnings={setWithWarnings}
      result={
        hasMore ? t('editor.plan_texts_more') : t('editor.plan_texts_left', { left: open.length - count })
      }
      action={t('editor.publish_many', { count })}
      isReady={!isBusy && count > 0}
      error={error}
      onApprove={approve}
      onClose={onClose}
    />
  );
}
